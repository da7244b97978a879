// What the bar says of the line: live or lost, the time, who else watches, what is paused.

import { announce } from "desk/announce.js";
import { onTick, serverNow } from "desk/clock.js";
import { ask } from "desk/server.js";
import { clock, localize } from "desk/zones.js";

const WORDS = { live: "Live ·", lost: "Reconnecting ·", out: "Signed out ·" };
const PAUSES_EVERY = 30; // ticks
const shown = document.querySelector("[data-line]");

export function showState(state) {
  if (shown.dataset.line === state) return;
  const before = shown.dataset.line;
  shown.dataset.line = state;
  shown.querySelector("[data-line-word]").textContent = WORDS[state];
  if (state === "out") announce("You are signed out. Load the page again to sign in.");
  else if (before !== "off") announce(state === "live" ? "Live again." : "The line is lost; trying again.");
}

export function hearOther(frame) {
  if (frame.type === "presence") {
    const words = frame.people.length ? `${frame.people.join(", ")} watching` : "";
    const watching = document.querySelector("[data-watching]");
    watching.textContent = watching.title = words;
  } else if (frame.type === "pauses") {
    showPauses(frame.html);
  }
}

function showPauses(html) {
  const place = document.querySelector("[data-pauses]");
  if (place.dataset.shown === html) return;
  place.dataset.shown = html;
  place.innerHTML = html;
  localize(place);
}

async function lookForPauses() {
  try {
    const response = await ask("/feed/pauses");
    if (response.ok) showPauses(await response.text());
  } catch {
    // the line says that it is lost; this is asked again
  }
}

export function startLine() {
  let ticks = 0;
  const time = shown.querySelector("[data-clock]");
  onTick(() => {
    time.textContent = clock(serverNow());
    ticks += 1;
    if (ticks % PAUSES_EVERY === 0 && document.visibilityState === "visible") lookForPauses();
  });
}
