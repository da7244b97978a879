// Rows in the page: a new one is made from the server's HTML, a known one is morphed in place, so
// that the focus, an open note and the reader's place stay.

import { Idiomorph } from "idiomorph";
import { showCountdown, unwatchRow, watchRow } from "desk/clock.js";
import { personal } from "desk/person.js";
import { localize } from "desk/zones.js";

// attributes that scripts have set
const OURS = new Set(["style", "aria-busy", "data-asking", "data-armed", "data-chosen", "open"]);

const TOO_SOON = 250; // milliseconds
const known = new Map(); // by id: a document of thousands is never searched for one
const selectable = document.querySelector("[data-bulk]") !== null;
let moved = {}; // where the focus was put last, and when

// So soon after what became of a row has moved the focus, a press was meant for what had it before.
export function justMoved() {
  return performance.now() - (moved.at ?? -Infinity) < TOO_SOON;
}

export function meantForAnother(target) {
  return target === moved.to && justMoved();
}

export function rowOf(id) {
  return known.get(id) ?? null;
}

export function rows() {
  return known.values();
}

export function howMany() {
  return known.size;
}

// In the order of the page.
export function isBefore(one, other) {
  return Boolean(one.compareDocumentPosition(other) & Node.DOCUMENT_POSITION_FOLLOWING);
}

export const currentRow = () => document.activeElement?.closest("li[data-action]") ?? null;

export function parseRow(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.querySelector("li[data-action]");
}

export function adopt(row) {
  known.set(row.dataset.action, row);
  freeButtons(row);
  givePick(row);
  personal(row);
  localize(row);
  watchRow(row);
}

export function remove(row) {
  known.delete(row.dataset.action);
  unwatchRow(row);
  row.remove();
}

// False: the page has a newer version already.
export function update(row, fresh) {
  if (Number(fresh.dataset.version) < Number(row.dataset.version)) return false;
  const focused = row.contains(document.activeElement) ? document.activeElement : null;
  const verb = focused?.dataset.do;
  if (row.dataset.version !== fresh.dataset.version) row.freshAt = performance.now();
  if (row.dataset.state !== fresh.dataset.state) {
    delete row.dataset.asking;
    row.querySelector(".answer[data-passing]")?.remove();
    row.changedAt = performance.now();
  }
  freeButtons(fresh);
  personal(fresh);
  givePick(fresh, row);
  swapButtons(row, fresh);
  Idiomorph.morph(row, fresh, {
    callbacks: {
      beforeAttributeUpdated: (name, _node, kind) => !(kind === "remove" && OURS.has(name)),
      beforeNodeRemoved: (node) => !node.classList?.contains("answer"),
      beforeNodeMorphed: (old, next) => {
        if (old.tagName === "TEXTAREA") next.textContent = next.value = old.value;
        return true;
      },
    },
  });
  localize(row);
  showCountdown(row);
  if (focused && document.activeElement !== focused) focusNext(row, verb);
  return true;
}

// Scripts press them, the form need not: of a form's own buttons the browser looks for the first one
// whenever one comes or goes, through all of a long page.
function freeButtons(row) {
  for (const button of row.querySelectorAll("[data-do]")) button.type = "button";
}

// The box to select it by. A long page comes without, as do live rows; what is selected stays so,
// whatever became of it.
function givePick(row, before = row) {
  const found = row.querySelector(".pick");
  if (!found && !selectable) return;
  const pick = found ?? document.createElement("input");
  pick.checked = before.querySelector(".pick")?.checked ?? false;
  if (found) return;
  const [label, whom] = row.querySelectorAll(".title > :is(a, i)");
  Object.assign(pick, { type: "checkbox", className: "pick", name: "pick" });
  pick.setAttribute("aria-label", `Select ${label.textContent} ${whom.textContent}`);
  row.prepend(pick);
}

// Another set of buttons is put in whole: morphed, Cancel would become the button beside it and
// keep the focus, and a second press would do what nobody meant.
function swapButtons(row, fresh) {
  const verbs = (one) =>
    Array.from(one.querySelectorAll("[data-do]"), (button) => button.dataset.do + button.textContent);
  if (String(verbs(row)) === String(verbs(fresh))) return;
  row.querySelector(".buttons").replaceWith(fresh.querySelector(".buttons").cloneNode(true));
}

function focusNext(row, verb) {
  const next =
    (verb && row.querySelector(`[data-do="${verb}"]`)) ||
    row.querySelector('[data-do="compensate"]') ||
    row.querySelector(".title a");
  putFocus(next);
}

export function putFocus(target) {
  target?.focus({ preventScroll: true });
  moved = { to: target, at: performance.now() };
}

// What the server said of the last press, where the row itself does not say it. `passing`: it is
// true of the row's state alone, and goes with it.
export function answer(row, words, { passing = false } = {}) {
  let line = row.querySelector(".answer");
  if (!words) {
    line?.remove();
    return;
  }
  if (!line) {
    line = document.createElement("p");
    line.className = "answer";
    row.querySelector(".what").append(line);
  }
  line.toggleAttribute("data-passing", passing);
  line.textContent = words;
}
