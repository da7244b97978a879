// Where a row stands. The order is frozen around a row that somebody is at; what comes in before it
// waits above, in the pill (desk/newcomers.js), and moves to its place afterwards.

import { guard, held } from "desk/anchor.js";
import { serverNow } from "desk/clock.js";
import { Places } from "desk/places.js";
import { currentRow, isBefore, remove } from "desk/rows.js";
import { forget } from "desk/selection.js";

const LINGER = 4000; // a row whose state changed is seen where it stood before it moves
const ENDED_KEPT = 200;
const SLICE = 8; // milliseconds
const TERMINAL = new Set(["executed", "cancelled", "rejected", "failed"]);
const RANKS = ["executed", "unknown", "failed", "held", "awaiting_approval"];

const groups = new Map(); // by name
const loose = new Set(); // rows that may stand where they no longer belong

// What decides a row's place, read from its HTML once a version.
function know(row) {
  const time = row.querySelector("time");
  const clock = (time?.dataset.executeAt ?? "") + row.dataset.action;
  row.place = {
    deadline: Date.parse(time?.dataset.deadline),
    keys: {
      needs: RANKS.indexOf(row.dataset.state) + row.dataset.action,
      ended: -(Date.parse(time?.dateTime) || 0),
      clock,
    },
  };
}

// The same rules as webapp/web/pages/feed.py has for the first page.
function groupOf(row) {
  if ("needs" in row.dataset) return "needs";
  if (TERMINAL.has(row.dataset.state)) return "ended";
  if ("waits" in row.dataset) return "waits";
  const left = row.place.deadline - serverNow();
  if (!(left > 60000)) return "minute";
  return left <= 300000 ? "five" : "later";
}

const keyIn = (group, row) => row.place.keys[group] ?? row.place.keys.clock;

// The rows that the page came with, in the order that they have.
export function startOrder() {
  for (const section of document.querySelectorAll("[data-group]")) {
    const name = section.dataset.group;
    let last = null;
    for (const row of section.querySelectorAll("li[data-action]")) {
      know(row);
      const key = keyIn(name, row);
      if (last !== null && key < last) loose.add(row);
      else last = key;
      row.placed = last;
    }
    groups.set(name, new Places(section.querySelector("ol")));
  }
}

export function deadlineOf(row) {
  return row.place.deadline;
}

// The nearest deadline of those among `some` that run by themselves; Infinity: there is none.
export function firstDue(some) {
  let due = Infinity;
  for (const row of some) {
    if (row.dataset.state === "scheduled") due = Math.min(due, deadlineOf(row) || Infinity);
  }
  return due;
}

// Its state or its time is another: it goes where it belongs once nobody is at a row.
export function changed(row) {
  know(row);
  loose.add(row);
}

// False: its place is before what somebody looks at, and it was not put there.
export function insert(row, { wait = true } = {}) {
  know(row);
  const group = groupOf(row);
  const places = groups.get(group);
  const key = keyIn(group, row);
  const limit = wait ? guard() : null;
  if (limit && wouldPush(places, key, limit)) return false;
  places.put(row, key);
  return true;
}

function wouldPush(places, key, limit) {
  const next = places.next(key);
  if (next) return next === limit || isBefore(next, limit);
  return !places.list.contains(limit) && isBefore(places.list, limit);
}

// Rows go where they belong by now, unless somebody would lose the one they are at. Answers
// whether any did.
export function settle() {
  if (held()) return false;
  for (const name of ["five", "later"]) {
    for (const row of groups.get(name).rows) {
      if (groupOf(row) === name) break;
      loose.add(row);
    }
  }
  let moved = false;
  const began = performance.now();
  const focused = currentRow(); // moved, it would lose the focus
  for (const row of loose) {
    if (row === focused) continue;
    if (row.isConnected && began - (row.changedAt ?? -Infinity) < LINGER) continue;
    loose.delete(row);
    if (row.leaves) leave(row);
    else if (placesOf(row)) moved = move(row) || moved;
    if (performance.now() - began > SLICE) break;
  }
  const ended = groups.get("ended");
  while (ended.rows.length > ENDED_KEPT && ended.rows.at(-1) !== focused) leave(ended.rows.at(-1));
  return moved;
}

function placesOf(row) {
  return groups.get(row.closest("[data-group]")?.dataset.group);
}

function move(row) {
  const group = groupOf(row);
  const [places, before] = [groups.get(group), placesOf(row)];
  const from = row.previousElementSibling;
  before?.take(row);
  places.put(row, keyIn(group, row));
  return before !== places || row.previousElementSibling !== from;
}

export function leave(row) {
  placesOf(row)?.take(row);
  loose.delete(row);
  remove(row);
  forget(row);
}

export function count() {
  for (const section of document.querySelectorAll("[data-group]")) {
    const words = String(groups.get(section.dataset.group).rows.length);
    const shown = section.querySelector("[data-count]");
    if (shown.textContent !== words) shown.textContent = words;
  }
}
