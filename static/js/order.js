// Where a row stands. The order is frozen around a row that somebody points at, has the focus in
// or selects text of: newcomers then stand behind it, and go to their place afterwards.

import { serverNow } from "desk/clock.js";

const IDLE = 20000; // a pointer that has not moved for so long points at nothing
const AWAY = 60000; // without any input for so long nobody is at the row that has the focus
const LINGER = 4000; // a row whose state changed is seen where it stood before it moves
const ENDED_KEPT = 50;
const TERMINAL = new Set(["executed", "cancelled", "rejected", "failed"]);
const RANKS = ["executed", "unknown", "failed", "held", "awaiting_approval"];

let active = performance.now();
for (const type of ["pointermove", "pointerdown", "keydown", "focusin"]) {
  addEventListener(type, () => (active = performance.now()), { passive: true, capture: true });
}

const canHover = matchMedia("(hover: hover)");

const focusedRow = () => document.activeElement?.closest("li[data-action]");

function held() {
  const focused = focusedRow();
  if (focused && performance.now() - active < AWAY) return focused;
  const selection = getSelection();
  if (selection && !selection.isCollapsed) {
    const selected = selection.anchorNode?.parentElement?.closest("li[data-action]");
    if (selected) return selected;
  }
  if (!canHover.matches || performance.now() - active > IDLE) return null;
  return document.querySelector("li[data-action]:hover");
}

// What decides a row's place, read from its HTML once a version.
export function know(row) {
  const time = row.querySelector("time");
  row.place = {
    deadline: Date.parse(time?.dataset.deadline),
    needs: RANKS.indexOf(row.dataset.state) + row.dataset.action,
    clock: (time?.dataset.executeAt ?? "") + row.dataset.action,
    ended: -Date.parse(time?.dateTime),
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

const listOf = (group) => document.querySelector(`[data-group="${group}"] > ol`);

function nextIn(list, row, group) {
  const kind = group in row.place ? group : "clock";
  for (const other of list.children) {
    if (other !== row && other.place[kind] > row.place[kind]) return other;
  }
  return null;
}

function isBefore(list, next, anchor) {
  if (next === anchor) return true;
  const relation = (next ?? list).compareDocumentPosition(anchor);
  return Boolean(relation & Node.DOCUMENT_POSITION_FOLLOWING);
}

const loose = new Set(); // rows that may stand where they no longer belong

export function changed(row) {
  loose.add(row);
}

export function insert(row) {
  const group = groupOf(row);
  const list = listOf(group);
  const next = nextIn(list, row, group);
  const anchor = held();
  if (anchor && isBefore(list, next, anchor)) {
    anchor.parentElement.append(row);
    loose.add(row);
  } else {
    list.insertBefore(row, next);
  }
}

// Rows go where they belong by now, unless somebody would lose the one they are at. Answers
// whether any did.
export function settle() {
  if (held()) return false;
  let moved = false;
  for (const group of ["five", "later"]) {
    let row = listOf(group).firstElementChild;
    for (; row && groupOf(row) !== group; row = row.nextElementSibling) loose.add(row);
  }
  const now = performance.now();
  const focused = focusedRow(); // moved, it would lose the focus
  for (const row of loose) {
    if (row === focused) continue;
    if (row.isConnected && row.changedAt && now - row.changedAt < LINGER) continue;
    loose.delete(row);
    if (row.isConnected) moved = put(row) || moved;
  }
  const ended = listOf("ended");
  while (ended.childElementCount > ENDED_KEPT) ended.lastElementChild.remove();
  return moved;
}

function put(row) {
  const group = groupOf(row);
  const list = listOf(group);
  const next = nextIn(list, row, group);
  if (row.parentElement === list && row.nextElementSibling === next) return false;
  list.insertBefore(row, next);
  return true;
}

export function count() {
  for (const group of document.querySelectorAll("[data-group]")) {
    const words = String(group.querySelector("ol").children.length);
    const shown = group.querySelector("[data-count]");
    if (shown.textContent !== words) shown.textContent = words;
  }
  const needs = document.querySelectorAll("li[data-needs]").length;
  document.title = `${needs ? `(${needs}) ` : ""}Feed · Undo Desk`;
}
