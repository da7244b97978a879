// The approvals' page: the queue as the desk has it, a selection that is decided on at once, and
// keys. A row that was decided on stays a while as the feed shows it, with its countdown and Cancel.

import { startActions } from "desk/actions.js";
import { announce } from "desk/announce.js";
import { onTick, serverNow, startClock } from "desk/clock.js";
import { hearOther, showState, startLine } from "desk/line.js";
import { lacksReason } from "desk/reason.js";
import { between, goOn, startRowKeys } from "desk/rowkeys.js";
import { adopt, answer, parseRow, remove, rowOf, update } from "desk/rows.js";
import { forget, onSelected, select, selectAll, selected, startSelection } from "desk/selection.js";
import { ask, pageOf, toldBy, unanswered } from "desk/server.js";
import { Line } from "desk/socket.js";
import { startViews } from "desk/views.js";

const STAYS = 15000; // milliseconds for which a decided row is still seen here
const SETTLE = 300; // events that come together are one look at the queue
const UNKNOWN = ", so nothing is known: the queue below is asked for again.";
const LOOK_AGAIN = 20; // ticks
const AT = ".pick, .title a"; // what of a row gets the focus
const form = document.querySelector("[data-feed]");
const list = form.querySelector("ol");
const bulk = form.querySelector(".bulk");
const reason = bulk.querySelector("[name=reason]");
const said = bulk.querySelector("[data-said]");
const all = bulk.querySelector("[data-all]");
let beyond = 0; // rows that wait and are not on this page

const waits = (row) => row.dataset.state === "awaiting_approval";
const picks = () => Array.from(list.querySelectorAll(".pick"));
const chosen = () => Array.from(selected()).filter(waits);

// What the feed says of a row that was decided on; what still waits is fetched as the queue has it.
function show(html) {
  const fresh = parseRow(html);
  const known = rowOf(fresh.dataset.action);
  if (waits(fresh)) later();
  else if (known) {
    if (waits(known)) later();
    update(known, fresh);
    select(known, false);
    count();
  }
}

function put(fresh) {
  const known = rowOf(fresh.dataset.action);
  if (known) {
    update(known, fresh);
    return;
  }
  const next = Array.from(list.children).find((row) => row.dataset.action > fresh.dataset.action);
  list.insertBefore(fresh, next ?? null);
  adopt(fresh);
}

// The queue as the desk has it now; answers the cursor behind it.
async function refetch() {
  const fresh = (await pageOf("/approvals")).querySelector("[data-feed]");
  const there = new Set();
  for (const row of fresh.querySelectorAll("li[data-action]")) {
    there.add(row.dataset.action);
    put(document.importNode(row, true));
  }
  for (const row of list.querySelectorAll("li[data-action]")) {
    if (waits(row) && !there.has(row.dataset.action)) leave(row);
  }
  form.dataset.total = fresh.dataset.total;
  beyond = Number(fresh.dataset.total) - there.size;
  count();
  return fresh.dataset.cursor;
}

let timer = null;

function later() {
  timer ??= setTimeout(() => {
    timer = null;
    refetch().catch(() => {}); // the line says what is wrong, and the next event asks again
  }, SETTLE);
}

function leave(row) {
  const next = row.nextElementSibling ?? row.previousElementSibling;
  const focused = row.contains(document.activeElement);
  remove(row);
  forget(row);
  if (focused) (next?.querySelector(AT) ?? form).focus({ preventScroll: true });
}

function count() {
  const waiting = beyond + picks().length;
  const words = waiting ? String(waiting) : "";
  document.title = `${words ? `(${words}) ` : ""}Approvals · Undo Desk`;
  const shown = document.querySelector("nav [data-waiting]");
  if (shown && waiting < 1000) shown.textContent = words;
  form.querySelector("[data-beyond]").hidden = beyond <= 0;
  countPicked();
}

function countPicked() {
  const [some, number] = [chosen().length, picks().length];
  all.checked = number > 0 && some === number;
  all.indeterminate = some > 0 && some < number;
  bulk.querySelector("[data-picked]").textContent = some
    ? `${some} selected`
    : "Select what you have looked at, then decide on it at once.";
}

function say(words) {
  said.textContent = words;
  if (words) announce(words);
}

// One answer a row: what was done moves on, what was refused says why and stays selected.
async function decide(verb) {
  if (form.getAttribute("aria-busy") === "true") return;
  const some = chosen();
  if (lacksReason(reason, some.length > 0 && verb === "reject", say)) return;
  const body = new FormData();
  body.set("do", verb);
  body.set("reason", reason.value);
  for (const row of some) body.append("pick", row.querySelector(".pick").value);
  form.setAttribute("aria-busy", "true");
  say("");
  try {
    const response = await ask("/approvals", {
      method: "POST",
      body,
      headers: { Accept: "application/json" },
      signal: AbortSignal.timeout(60000),
    });
    await hear(response, verb);
  } catch (problem) {
    say(unanswered(problem, UNKNOWN));
    later();
  } finally {
    form.removeAttribute("aria-busy");
  }
}

async function hear(response, verb) {
  const told = await toldBy(response);
  if (!response.ok) {
    say(told.detail);
    return;
  }
  const focused = document.activeElement?.closest("li[data-action]");
  for (const html of told.rows) show(html);
  for (const one of told.results) {
    const row = rowOf(one.id);
    if (row) answer(row, one.good ? "" : one.message);
    if (row && one.good) select(row, false);
  }
  if (verb === "reject" && told.results.every((one) => one.good) && told.results.length) {
    reason.value = "";
  }
  say(told.message);
  if (focused && !focused.isConnected) form.focus({ preventScroll: true });
  count();
}

function grow() {
  for (const time of list.querySelectorAll("[data-age]")) {
    const minutes = Math.floor((serverNow() - Date.parse(time.dataset.age)) / 60000);
    const words = age(minutes);
    if (time.textContent !== words) time.textContent = words;
  }
}

// The same words as webapp/web/moments.py has for the first page.
function age(minutes) {
  if (minutes < 1) return "under 1 min";
  const hours = Math.floor(minutes / 60);
  if (hours < 1) return `${minutes} min`;
  return hours < 24 ? `${hours} h ${minutes % 60} min` : `${Math.floor(hours / 24)} d ${hours % 24} h`;
}

function clear() {
  const now = performance.now();
  for (const row of list.querySelectorAll("li[data-action]")) {
    const seen = !row.changedAt || now - row.changedAt < STAYS;
    if (!waits(row) && !seen && !row.matches(":hover, :focus-within")) remove(row);
  }
}

form.addEventListener("submit", (event) => {
  if (event.submitter?.name !== "do") return;
  event.preventDefault();
  event.stopImmediatePropagation();
  decide(event.submitter.value);
});
form.addEventListener("change", (event) => {
  if (event.target !== all) return;
  selectAll(picks().map((pick) => pick.closest("li[data-action]")), all.checked);
});

const DECIDES = { approve: () => decide("approve"), reject: () => reason.focus() };

for (const row of list.querySelectorAll("li[data-action]")) adopt(row);
beyond = Number(form.dataset.total) - picks().length;
startClock();
startLine();
onSelected(countPicked);
startSelection(form, (one, other) => between(form, one, other));
startActions(form, show, (row) => goOn(form, row, AT));
startViews();
startRowKeys(form, { at: AT, together: (verb) => DECIDES[verb]?.() });
new Line(form.dataset.cursor, {
  row: (frame) => show(frame.html),
  reset: refetch,
  other: hearOther,
  state: showState,
}).start();
count();

let ticks = 0;
onTick(() => {
  grow();
  clear();
  ticks += 1;
  // rows that had no room on this page come in as others are decided on
  if (beyond > 0 && ticks % LOOK_AGAIN === 0 && document.visibilityState === "visible") later();
});
