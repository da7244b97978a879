// The last minute and the last ten seconds of the row that has the focus, and of rows with a mark,
// said to listeners: never of the whole list.

import { announce } from "desk/announce.js";
import { serverNow } from "desk/clock.js";
import { deadlineOf } from "desk/order.js";
import { currentRow, rows } from "desk/rows.js";

const STEPS = [60000, 10000]; // milliseconds before the deadline

export function sayMilestones() {
  const focused = currentRow();
  const passed = [];
  for (const row of rows()) {
    if (row.dataset.state !== "scheduled") continue;
    const left = deadlineOf(row) - serverNow();
    const before = row.left;
    row.left = left;
    const step = left > 0 && STEPS.findLast((one) => before > one && left <= one);
    if (step && (row === focused || row.querySelector(".mark"))) passed.push([row, left]);
  }
  const seconds = Math.ceil(Math.min(...passed.map(([, left]) => left)) / 1000);
  if (passed.length === 1) announce(`${nameOf(passed[0][0])}: ${seconds} seconds left.`);
  else if (passed.length) announce(`${passed.length} marked actions are due, the first in ${seconds} seconds.`);
}

function nameOf(row) {
  const [label, whom] = [row.querySelector(".title a"), row.querySelector(".title i")];
  return `${label.textContent} ${whom.textContent}`.trim().slice(0, 120);
}
