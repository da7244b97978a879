// What the bar says of the line: live or lost, the time, who else watches, what is paused.

import { announce } from "desk/announce.js";
import { countdown, onTick, serverNow } from "desk/clock.js";
import { ask } from "desk/server.js";
import { clock, localize } from "desk/zones.js";

const WORDS = { live: "Live ·", lost: "Reconnecting ·", out: "Signed out ·" };
const PAUSES_EVERY = 30; // ticks
const OLD = 3000; // milliseconds without the line, before the page says how old it is
const shown = document.querySelector("[data-line]");
const stale = document.querySelector("[data-stale]");
let lostAt = null; // the server's time when the line was lost

export function showState(state) {
  if (shown.dataset.line === state) return;
  const before = shown.dataset.line;
  shown.dataset.line = state;
  lostAt = state === "live" ? null : (lostAt ?? serverNow());
  if (state === "live") document.documentElement.removeAttribute("data-lost");
  if (state === "live" && stale) stale.hidden = true;
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

// What stands here is as old as the loss of the line, and says so.
function showAge() {
  const age = serverNow() - lostAt;
  if (!stale || lostAt === null || age < OLD) return;
  document.documentElement.setAttribute("data-lost", "");
  stale.hidden = false;
  for (const one of document.querySelectorAll("[data-lost-at]")) one.textContent = clock(lostAt);
  stale.querySelector("[data-lost-for]").textContent = countdown(age);
}

export function startLine() {
  let ticks = 0;
  const time = shown.querySelector("[data-clock]");
  onTick(() => {
    time.textContent = clock(serverNow());
    showAge();
    ticks += 1;
    if (ticks % PAUSES_EVERY === 0 && document.visibilityState === "visible") lookForPauses();
  });
}
