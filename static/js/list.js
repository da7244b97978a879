// The list as the desk has it: the first page, the pages behind it, and what the line says of each
// row meanwhile; all of the feed, or what the filter leaves of it.

import { asker } from "desk/filter.js";
import { aMoment, listOf, takeAll, takeRest } from "desk/more.js";
import { come } from "desk/newcomers.js";
import { changed, count, insert, leave } from "desk/order.js";
import { slices } from "desk/queue.js";
import { goOn } from "desk/rowkeys.js";
import { adopt, howMany, parseRow, rowOf, rows, update } from "desk/rows.js";
import { pageOf } from "desk/server.js";
import { gone, trouble } from "desk/unseen.js";

const LOOK_AGAIN = 20; // ticks
const ROOM = 2800; // with fewer rows than so many, further ones are asked for
const TOLD = ["filter", "total", "needs", "troubled", "unread", "after"];
const form = document.querySelector("[data-feed]");
const matching = document.querySelector("[data-matching]");
const here = document.querySelector("[data-here]"); // how many of them, while they come
let line = null;
let epoch = 0; // of fetching: a later one ends an earlier one
let narrowing = Promise.resolve();
let gate = null; // frames that came while the filter changes
let loading = 0; // of the epoch whose further pages are being fetched
let there = null; // ids that came while the list is fetched again
let ticks = 0;

const query = () => form.dataset.filter ?? "";

export const isWhole = () => !form.dataset.after;

// How many match, whether the page has them or not.
export const total = () => (isWhole() ? howMany() : Math.max(howMany(), Number(form.dataset.total)));

function put(fresh, { live = true, wait = true } = {}) {
  there?.add(fresh.dataset.action);
  const known = rowOf(fresh.dataset.action);
  if (!known) {
    adopt(fresh);
    if (wait) come(fresh);
    else insert(fresh, { wait: false });
    trouble(fresh, live);
  } else if (update(known, fresh)) {
    known.leaves = false;
    changed(known);
    trouble(known, live);
  }
}

// A row as the desk has just answered it.
export function show(html) {
  put(parseRow(html));
  recount();
}

const apply = slices((frame) => {
  put(parseRow(frame.html));
  const row = rowOf(frame.id);
  // seen for a while as it is now, then it goes
  if (frame.leaves && row.dataset.version === String(frame.version)) row.leaves = true;
}, recount);
const asks = asker(query, (frame, belongs) => {
  if (belongs || rowOf(frame.id)) apply({ ...frame, leaves: !belongs });
});

// A row's frame from the line.
export function hearRow(frame) {
  if (gate) gate.push(frame);
  else if (query()) asks(frame)?.catch(() => line.refetch());
  else apply(frame);
}

function drop(row) {
  if (row.contains(document.activeElement)) goOn(form, row);
  gone(row);
  leave(row);
}

function heed(fresh) {
  for (const name of TOLD) {
    if (name in fresh.dataset) form.dataset[name] = fresh.dataset[name];
    else delete form.dataset[name];
  }
  for (const name of ["[data-errors]", ".empty", "[data-more]"]) {
    for (const old of form.querySelectorAll(name)) old.remove();
    form.prepend(...fresh.querySelectorAll(name));
  }
  showEmpty();
}

// Which of them is seen, styles decide: by the rows, and by whether the line is lost.
function showEmpty() {
  for (const one of form.querySelectorAll(".empty")) one.hidden = false;
}

function dropOthers(kept) {
  for (const row of Array.from(rows())) if (!kept.has(row.dataset.action)) drop(row);
}

// The list as the desk has it now; answers the cursor behind it.
export async function refetch() {
  for (;;) {
    await narrowed();
    const mine = ++epoch;
    const fresh = await listOf(`/feed/rows?${query()}`);
    if (mine !== epoch) continue;
    there = new Set();
    heed(fresh);
    await takeAll(fresh, (row) => mine === epoch && put(row, { live: false }));
    rest(mine).then((whole) => {
      if (!whole || !there) return;
      dropOthers(there);
      there = null;
      recount();
    }, () => {});
    return fresh.dataset.cursor;
  }
}

// Another filter: its rows stand, and the page that said so is answered; null where a later one came.
export function narrow(search) {
  narrowing = narrowTo(search);
  return narrowing;
}

// Also the one that began while an earlier one was waited for: a fetch that ended it would leave its
// frames in the gate.
async function narrowed() {
  for (let last = null; last !== narrowing; ) {
    last = narrowing;
    await last.catch(() => {});
  }
}

async function narrowTo(search) {
  const mine = ++epoch;
  gate ??= [];
  try {
    const page = await pageOf(search ? `/?${search}` : "/", { also: 400 });
    if (mine !== epoch) return null;
    const fresh = page.querySelector("[data-feed]");
    const ids = Array.from(fresh.querySelectorAll("li[data-action]"), (row) => row.dataset.action);
    there = null;
    heed(fresh);
    dropOthers(new Set(ids));
    await takeAll(fresh, (row) => mine === epoch && put(row, { live: false, wait: false }));
    recount();
    rest(mine).catch(() => {});
    return page;
  } finally {
    if (mine === epoch) {
      const frames = gate;
      gate = null;
      for (const frame of frames) hearRow(frame);
    }
  }
}

// What is behind the first page. True: all of it came, or as much as has room.
async function rest(mine) {
  if (loading === mine) return false;
  loading = mine;
  try {
    return await pagesOf(mine);
  } finally {
    if (loading === mine) loading = 0;
  }
}

async function pagesOf(mine) {
  await aMoment();
  const goes = () => mine === epoch;
  const take = (row) => put(row, { live: false });
  const after = await takeRest(query(), form.dataset.after ?? "", take, { have: howMany, goes });
  if (!goes()) return false;
  if (after) form.dataset.after = after;
  else delete form.dataset.after;
  recount();
  return true;
}

function recount() {
  count();
  if (isWhole()) form.dataset.total = howMany();
  const number = total();
  const words = `${number.toLocaleString("en-IN")} ${number === 1 ? "row" : "rows"}`;
  if (matching && matching.textContent !== words) matching.textContent = words;
  const part = howMany() < number ? `, ${howMany().toLocaleString("en-IN")} of them here so far` : "";
  if (here && here.textContent !== part) here.textContent = part;
}

// What time alone brings in: rows that had no room, or that are due soon enough by now.
export function topUp() {
  ticks += 1;
  if (ticks % LOOK_AGAIN || document.visibilityState !== "visible" || gate) return;
  if (new URLSearchParams(query()).has("due")) refetch().catch(() => {});
  else if (!isWhole() && howMany() < ROOM) rest(epoch).catch(() => {});
}

export function startList(on) {
  line = on;
  epoch = 1;
  showEmpty();
  recount();
  rest(epoch).catch(() => {});
}
