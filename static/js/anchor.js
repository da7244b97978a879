// The row that somebody is at: they have the focus in it, selected it, select text of it or point
// at it. Around it the order is frozen.

import { onScreen } from "desk/onscreen.js";
import { currentRow, isBefore } from "desk/rows.js";
import { selected } from "desk/selection.js";

const IDLE = 20000; // a pointer that has not moved for so long points at nothing
const AWAY = 60000; // without any input for so long nobody is at the row that has the focus
const SCROLLED = 80; // pixels from the top

let active = performance.now();
for (const type of ["pointermove", "pointerdown", "keydown", "focusin"]) {
  addEventListener(type, () => (active = performance.now()), { passive: true, capture: true });
}

const canHover = matchMedia("(hover: hover)");
let pointed = null; // asking for `:hover` would look through all of the page
addEventListener("pointerover", ({ target }) => {
  pointed = target.closest?.("li[data-action]") ?? null;
}, { passive: true });
document.documentElement.addEventListener("pointerleave", () => (pointed = null));

let reading = null; // where text is selected; asked each time, this and the next would lay out the page
document.addEventListener("selectionchange", () => {
  const selection = getSelection();
  const within = selection.isCollapsed ? null : selection.anchorNode?.parentElement;
  reading = within?.closest("li[data-action]") ?? null;
});
let scrolled = scrollY > SCROLLED;
addEventListener("scroll", () => (scrolled = scrollY > SCROLLED), { passive: true });

export function held() {
  const quiet = performance.now() - active;
  if (quiet < AWAY) {
    const focused = currentRow();
    if (focused) return focused;
    const [first] = selected();
    if (first?.isConnected) return first;
  }
  if (reading?.isConnected) return reading;
  if (!canHover.matches || quiet > IDLE) return null;
  return pointed?.isConnected ? pointed : null;
}

// Nothing comes in before this row: the one that somebody is at, else the first that is on screen
// where somebody has scrolled down.
export function guard() {
  return held() ?? (scrolled ? firstOnScreen() : null);
}

function firstOnScreen() {
  let first = null;
  for (const row of onScreen) {
    if (row.isConnected && (!first || isBefore(row, first))) first = row;
  }
  return first;
}
