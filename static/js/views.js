// What was really on screen: at least half of a row, for a second, in a visible tab.

import { onTick } from "desk/clock.js";
import { lookAgain, onSight } from "desk/onscreen.js";
import { rows } from "desk/rows.js";
import { SignedOut, ask } from "desk/server.js";

const LONG_ENOUGH = 1000;
const MOST = 200;
const since = new Map();
let queue = [];
let over = false;

const told = new Set(); // who wants to know what has been seen

// `listener(row)`: this version of it has been on screen for long enough.
export function onSeen(listener) {
  told.add(listener);
}

onSight((row, share) => {
  if (share < 0.5) since.delete(row);
  else if (!since.has(row)) since.set(row, performance.now());
});

function look() {
  if (document.visibilityState !== "visible") return;
  for (const [row, at] of since) {
    if (!row.isConnected) {
      since.delete(row);
      continue;
    }
    const { action, version } = row.dataset;
    // another version is another thing to see
    const begun = Math.max(at, row.freshAt ?? at);
    if (performance.now() - begun < LONG_ENOUGH || row.viewed === version) continue;
    row.viewed = version;
    for (const listener of told) listener(row);
    if (!over) queue.push({ id: action, version: Number(version) });
  }
}

async function send(leaving) {
  if (over || !queue.length) return;
  const views = queue.splice(0, MOST);
  try {
    const response = await ask("/feed/views", {
      method: "POST",
      keepalive: leaving,
      headers: { "Content-Type": "application/json" },
      body: JSON.stringify({ views }),
    });
    if (response.status === 503) queue.push(...views);
  } catch (problem) {
    if (problem instanceof SignedOut) [over, queue] = [true, []];
    else queue.push(...views);
  }
}

export function startViews() {
  onTick(() => {
    look();
    send(false);
  });
  document.addEventListener("visibilitychange", () => {
    if (document.visibilityState === "hidden") {
      since.clear();
      send(true);
    } else {
      lookAgain(rows());
    }
  });
  addEventListener("pagehide", () => send(true));
}
