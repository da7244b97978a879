// The feed's page: rows live over the socket, buttons by fetch, countdowns by the server's time.

import { startActions } from "desk/actions.js";
import { onTick, startClock } from "desk/clock.js";
import { hearOther, showState, startLine } from "desk/line.js";
import { changed, count, insert, know, settle } from "desk/order.js";
import { slices } from "desk/queue.js";
import { adopt, parseRow, remove, rowOf, update } from "desk/rows.js";
import { ask } from "desk/server.js";
import { Line } from "desk/socket.js";
import { startViews, watchView } from "desk/views.js";

const FULL = 200; // as many rows as the server gives at once
const LOOK_AGAIN = 20; // ticks
const form = document.querySelector("[data-feed]");

function show(html) {
  const fresh = parseRow(html);
  const known = rowOf(fresh.dataset.action);
  if (!known) {
    know(fresh);
    insert(fresh);
    take(fresh);
  } else if (update(known, fresh)) {
    know(known);
    changed(known);
  }
}

function take(row) {
  adopt(row);
  watchView(row);
}

// The list as the server has it now; answers the cursor behind it.
async function refetch() {
  const response = await ask("/feed/rows");
  if (!response.ok) throw new Error(`the list answered ${response.status}`);
  const page = new DOMParser().parseFromString(await response.text(), "text/html");
  const fresh = page.querySelector("[data-feed]");
  const there = new Set();
  for (const row of fresh.querySelectorAll("li[data-action]")) {
    there.add(row.dataset.action);
    show(row.outerHTML);
  }
  for (const row of form.querySelectorAll("li[data-action]")) {
    if (!there.has(row.dataset.action)) remove(row);
  }
  count();
  return fresh.dataset.cursor;
}

const apply = slices((frame) => show(frame.html), count);
const line = new Line(form.dataset.cursor, {
  row: apply,
  reset: refetch,
  other: hearOther,
  state: showState,
});

for (const row of form.querySelectorAll("li[data-action]")) {
  know(row);
  take(row);
}
let wasFull = form.querySelectorAll("li[data-action]").length >= FULL;
let ticks = 0;

startClock();
startLine();
startActions(form, (html) => {
  show(html);
  count();
});
startViews();
line.start();
onTick(() => {
  if (settle()) count();
  ticks += 1;
  // rows that had no room on the first page come in as others end
  if (wasFull && ticks % LOOK_AGAIN === 0 && document.visibilityState === "visible") {
    refetch().then(
      () => (wasFull = form.querySelectorAll("li[data-action]").length >= FULL),
      () => {},
    );
  }
});
