// What is selected, on the feed and on the approvals' page: rows by their checkboxes, by X, and by
// Shift with a move or a click from one row to another. A row stays selected whatever becomes of it,
// until it is done or somebody lets go of it.

import { rows } from "desk/rows.js";

const chosen = new Set(); // rows, in the order of their selection
const listeners = new Set();
let from = null; // where a range begins, and what was selected by it so far
let range = new Set();

export const selected = () => chosen;

export function onSelected(listener) {
  listeners.add(listener);
}

function tell() {
  for (const listener of listeners) listener(chosen);
}

function mark(row, on) {
  if (on) chosen.add(row);
  else chosen.delete(row);
  row.toggleAttribute("data-chosen", on);
  const pick = row.querySelector(".pick");
  if (pick) pick.checked = on;
}

export function select(row, on = true) {
  mark(row, on);
  tell();
}

export function selectAll(some, on = true) {
  for (const row of some) mark(row, on);
  tell();
}

export function toggle(row) {
  from = row;
  range = new Set([row]);
  select(row, !chosen.has(row));
}

export function clear() {
  from = null;
  range = new Set();
  selectAll(Array.from(chosen), false);
}

// Everything from where the range began to `row`; `between(one, other)` gives the rows.
export function extendTo(row, start, between) {
  if (!from?.isConnected) {
    from = start;
    range = new Set();
  }
  const wanted = new Set(between(from, row));
  for (const one of range) if (!wanted.has(one)) mark(one, false);
  for (const one of wanted) mark(one, true);
  range = wanted;
  tell();
}

// A row that is there no longer.
export function forget(row) {
  range.delete(row);
  if (chosen.delete(row)) tell();
}

// The boxes as they stand: a page that was loaded with some checked, or a press on one.
export function startSelection(form, between) {
  for (const row of rows()) if (row.querySelector(".pick")?.checked) mark(row, true);
  form.addEventListener("click", (event) => {
    if (!event.target.matches(".pick")) return;
    const row = event.target.closest("li[data-action]");
    if (event.shiftKey && from?.isConnected) extendTo(row, from, between);
    else toggle(row);
  });
  tell();
}
