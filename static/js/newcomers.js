// "3 new": rows whose place is before what somebody looks at wait here, out of sight, and say when
// the first of them is due. They go to their places at a press, or once nobody would lose theirs.

import { announce } from "desk/announce.js";
import { countdown, serverNow } from "desk/clock.js";
import { bind } from "desk/keys.js";
import { firstDue, insert } from "desk/order.js";
import { isBefore, putFocus } from "desk/rows.js";

const SOON = 60000; // milliseconds
const waiting = new Set();
const pill = document.querySelector("[data-pill]");
const place = document.querySelector("[data-newcomers]");

// A row that the page did not have, in its place or here.
export function come(row) {
  if (insert(row)) return;
  place.append(row);
  waiting.add(row);
  show();
}

// Those that may go to their places now; answers the first of them, or null.
export function letIn({ wait = true } = {}) {
  let first = null;
  for (const row of waiting) {
    if (!row.isConnected) waiting.delete(row);
    else if (insert(row, { wait })) {
      waiting.delete(row);
      if (!first || isBefore(row, first)) first = row;
    }
  }
  show();
  return first;
}

function show() {
  const was = pill.hidden;
  pill.hidden = waiting.size === 0;
  if (pill.hidden) return;
  const due = firstDue(waiting);
  const left = due - serverNow();
  const words = Number.isFinite(due)
    ? `${waiting.size} new, ${left > 0 ? `the first due in ${countdown(left)}` : "the first is due"}`
    : `${waiting.size} new`;
  if (pill.firstChild.textContent !== words) pill.firstChild.textContent = words;
  pill.toggleAttribute("data-soon", left < SOON);
  if (was) announce(`${words}. Press N to see.`);
}

function open() {
  if (!waiting.size) return false;
  const first = letIn({ wait: false });
  first.scrollIntoView({ block: "center" });
  putFocus(first.querySelector(".title a"));
}

export function startNewcomers() {
  pill.addEventListener("click", open);
  bind({ n: open });
}
