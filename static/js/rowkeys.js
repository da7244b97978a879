// The keys of a list of rows: J and K move, X and Shift select, a letter presses the button of the
// row that has the focus, or that of the bar for all that are selected.

import { announce } from "desk/announce.js";
import { bind } from "desk/keys.js";
import { answer, currentRow, isBefore, justMoved, putFocus } from "desk/rows.js";
import { clear, extendTo, selected, toggle } from "desk/selection.js";
import { DONE } from "desk/verbs.js";

const VERBS = { c: "cancel", h: "hold", a: "approve", r: "reject", e: "compensate", "+": "extend" };

let last = null; // the row that had the focus last

// `form` holds the lists; `together(verb)` acts on what is selected; `at` is what of a row gets the
// focus.
export function startRowKeys(form, { together, at = ".title a" }) {
  form.addEventListener("focusin", () => (last = currentRow() ?? last));
  const move = (by) => {
    const row = here(form);
    const next = row ? beside(form, row, by) : firstOf(form);
    return next ? go(next, at) : false;
  };
  const stretch = (by) => {
    const row = here(form) ?? firstOf(form);
    const next = row && beside(form, row, by);
    if (!next) return false;
    extendTo(next, row, (one, other) => between(form, one, other));
    return go(next, at);
  };
  bind({
    j: () => move(1),
    k: () => move(-1),
    "shift+j": () => stretch(1),
    "shift+k": () => stretch(-1),
    x: () => onRow(toggle),
    enter: (event) => event.target.matches(".pick") && onRow((row) => row.querySelector(".title a").click()),
    escape: () => (selected().size ? clear() : leaveRow(form)),
  });
  for (const [key, verb] of Object.entries(VERBS)) {
    bind({
      [key]: () => {
        if (justMoved() && verb !== "extend") return;
        if (selected().size) together(verb);
        else onRow((row) => pressOn(row, verb));
      },
    });
  }
}

function onRow(act) {
  const row = currentRow();
  return row ? act(row) : false;
}

// A row without that button says so: silence after C would pass for a cancel.
function pressOn(row, verb) {
  const button = row.querySelector(`[data-do="${verb}"]`);
  if (button) button.click();
  else {
    const words = `This can't be ${DONE[verb]} now: ${stateOf(row)}.`;
    answer(row, words, { passing: true });
    announce(words);
  }
}

// As the row says it; a countdown or an age is no word for it.
function stateOf(row) {
  const word = row.querySelector(".when > b:not(:has([data-age]))");
  return word?.textContent ?? row.dataset.state.replaceAll("_", " ");
}

function here(form) {
  return currentRow() ?? (last?.isConnected && form.contains(last) ? last : null);
}

function leaveRow(form) {
  if (!currentRow()) return false;
  last = currentRow();
  form.focus({ preventScroll: true });
}

function go(row, at) {
  row.querySelector(at).focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}

const lists = (form) => Array.from(form.querySelectorAll("ol.feed:not([hidden])"));

function firstOf(form) {
  return lists(form).find((list) => list.firstElementChild)?.firstElementChild ?? null;
}

function beside(form, row, by) {
  const [sibling, end] =
    by > 0 ? ["nextElementSibling", "firstElementChild"] : ["previousElementSibling", "lastElementChild"];
  if (row[sibling]) return row[sibling];
  const all = lists(form);
  for (let at = all.indexOf(row.parentElement) + by; all[at]; at += by) {
    if (all[at][end]) return all[at][end];
  }
  return null;
}

// Both of them and all that stands between, whichever comes first.
export function between(form, one, other) {
  const [first, end] = isBefore(other, one) ? [other, one] : [one, other];
  const found = [first];
  while (found.at(-1) !== end) {
    const next = beside(form, found.at(-1), 1);
    if (!next) break;
    found.push(next);
  }
  return found;
}

// Done with this row by a key: the next one gets the focus.
export function goOn(form, row, at = ".title a") {
  const next = beside(form, row, 1) ?? beside(form, row, -1);
  if (!next) return;
  putFocus(next.querySelector(at));
  next.scrollIntoView({ block: "nearest" });
}
