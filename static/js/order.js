// Where a row stands. The order is frozen around a row that somebody points at, has the focus in
// or selects text of: newcomers then stand behind it, and go to their place afterwards.

import { serverNow } from "desk/clock.js";

const IDLE = 20000; // a pointer that has not moved for so long points at nothing
const LINGER = 4000; // a row whose state changed is seen where it stood before it moves
const ENDED_KEPT = 50;
const TERMINAL = new Set(["executed", "cancelled", "rejected", "failed"]);
const RANKS = ["executed", "unknown", "failed", "held", "awaiting_approval"];

let active = performance.now();
for (const type of ["pointermove", "pointerdown", "keydown", "focusin"]) {
  addEventListener(type, () => (active = performance.now()), { passive: true, capture: true });
}

const canHover = matchMedia("(hover: hover)");

function held() {
  const focused = document.activeElement?.closest("li[data-action]");
  if (focused) return focused;
  const selection = getSelection();
  if (selection && !selection.isCollapsed) {
    const selected = selection.anchorNode?.parentElement?.closest("li[data-action]");
    if (selected) return selected;
  }
  if (!canHover.matches || performance.now() - active > IDLE) return null;
  return document.querySelector("li[data-action]:hover");
}

// The same rules as webapp/web/pages/feed.py has for the first page.
export function groupOf(row) {
  if ("needs" in row.dataset) return "needs";
  if (TERMINAL.has(row.dataset.state)) return "ended";
  const left = Date.parse(row.querySelector("time[data-deadline]")?.dataset.deadline) - serverNow();
  if (!(left > 60000)) return "minute";
  return left <= 300000 ? "five" : "later";
}

function keyOf(row, group) {
  const time = row.querySelector("time");
  if (group === "needs") return RANKS.indexOf(row.dataset.state) + row.dataset.action;
  if (group === "ended") return -Date.parse(time?.dateTime);
  return (time?.dataset.executeAt ?? "") + row.dataset.action;
}

const listOf = (group) => document.querySelector(`[data-group="${group}"] > ol`);

function before(list, row, group) {
  const key = keyOf(row, group);
  for (const other of list.children) {
    if (other !== row && keyOf(other, group) > key) return other;
  }
  return null;
}

function isBefore(list, next, anchor) {
  const point = next ?? list;
  const relation = point.compareDocumentPosition(anchor);
  return point === anchor || Boolean(relation & (Node.DOCUMENT_POSITION_FOLLOWING | Node.DOCUMENT_POSITION_CONTAINED_BY));
}

export function insert(row) {
  const group = groupOf(row);
  const list = listOf(group);
  const next = before(list, row, group);
  const anchor = held();
  if (anchor && isBefore(list, next, anchor)) anchor.parentElement.append(row);
  else list.insertBefore(row, next);
}

function rightPlace(row) {
  const group = groupOf(row);
  const list = listOf(group);
  const next = before(list, row, group);
  const stands = row.parentElement === list && row.nextElementSibling === next;
  return stands ? null : [list, next];
}

// Rows go where they belong by now, unless somebody would lose the one they are at.
export function settle() {
  if (held()) return;
  const now = performance.now();
  for (const row of document.querySelectorAll("[data-group] > ol > li")) {
    if (row.changedAt && now - row.changedAt < LINGER) continue;
    const place = rightPlace(row);
    if (place) place[0].insertBefore(row, place[1]);
  }
  const ended = listOf("ended");
  while (ended && ended.children.length > ENDED_KEPT) ended.lastElementChild.remove();
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
