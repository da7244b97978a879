// Rows in the page: a new one is made from the server's HTML, a known one is morphed in place, so
// that the focus, an open note and the reader's place stay.

import { Idiomorph } from "idiomorph";
import { showCountdown, unwatchRow, watchRow } from "desk/clock.js";
import { localize } from "desk/zones.js";

const OURS = new Set(["style", "aria-busy", "data-asking", "data-armed", "open"]); // attributes that scripts have set

let moved = {}; // where the focus was put last, and when

// A key press so soon after its focus was moved was meant for what had the focus before.
export function meantForAnother(target, within) {
  return target === moved.to && performance.now() - moved.at < within;
}

export function rowOf(id) {
  return document.querySelector(`li[data-action="${CSS.escape(id)}"]`);
}

export function parseRow(html) {
  const template = document.createElement("template");
  template.innerHTML = html;
  return template.content.querySelector("li[data-action]");
}

export function adopt(row) {
  localize(row);
  watchRow(row);
}

export function remove(row) {
  unwatchRow(row);
  row.remove();
}

// False: the page has a newer version already.
export function update(row, fresh) {
  if (Number(fresh.dataset.version) < Number(row.dataset.version)) return false;
  const focused = row.contains(document.activeElement) ? document.activeElement : null;
  const verb = focused?.dataset.do;
  if (row.dataset.state !== fresh.dataset.state) {
    delete row.dataset.asking;
    row.changedAt = performance.now();
  }
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
  next?.focus({ preventScroll: true });
  moved = { to: next, at: performance.now() };
}

// What the server said of the last press, where the row itself does not say it.
export function answer(row, words) {
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
  line.textContent = words;
}
