// One press for all that is selected, or for all that match: each row answers for itself, what was
// done is let go of, and exactly what was not done stays selected and says why.

import { announce } from "desk/announce.js";
import { countdown, onTick, serverNow } from "desk/clock.js";
import { firstDue } from "desk/order.js";
import { moreTime } from "desk/person.js";
import { lacksReason } from "desk/reason.js";
import { answer, currentRow, rowOf } from "desk/rows.js";
import { clear, onSelected, select, selectAll, selected } from "desk/selection.js";
import { ask, newKey, toldBy, unanswered } from "desk/server.js";
import { DONE } from "desk/verbs.js";

const AT_ONCE = 500; // rows in one call, as the desk allows
const UNKNOWN = ", so nothing is known. Press again: each is done at most once.";
const LONG = 60000; // milliseconds
const bar = document.querySelector("[data-bulk]");
const reason = bar.querySelector("[name=reason]");
const said = bar.querySelector("[data-said]");
const every = bar.querySelector("[data-every]");
const buttons = bar.querySelectorAll("[data-verb]");
const keys = new Map(); // one key a press, kept until it got an answer
let matching = false; // everything that matches is meant, also what this page does not have
let list; // what the feed tells of itself

// `of`: `form`, `show(html)`, `all()` the rows in the page, `total()` how many match, `whole()`
// whether the page has them all, `goOn(row)`.
export function startBulk(of) {
  list = of;
  onSelected(count);
  onTick(tick);
  for (const button of buttons) button.addEventListener("click", () => together(button.dataset.verb));
  every.addEventListener("click", () => {
    matching = !list.whole();
    selectAll(list.all());
  });
  bar.querySelector("[data-clear]").addEventListener("click", () => {
    const [first] = selected();
    clear();
    first?.querySelector(".title a").focus({ preventScroll: true });
  });
}

function count() {
  const chosen = selected();
  if (matching && chosen.size < list.all().length) matching = false;
  const some = chosen.size > 0;
  if (some && bar.hidden) say("");
  bar.hidden = !some && !said.textContent;
  document.documentElement.toggleAttribute("data-bulk-open", !bar.hidden);
  const number = matching ? `All ${list.total()} matching` : chosen.size;
  bar.querySelector("[data-picked]").textContent = some ? `${number} selected` : "";
  every.hidden = matching || !some || chosen.size >= list.total();
  every.textContent = `Select all ${list.total()}`;
  bar.querySelector("[data-clear]").hidden = !some;
  for (const button of buttons) countFor(button, chosen);
  reason.closest(".field").hidden = bar.querySelector('[data-verb="reject"]').hidden;
  tick();
}

function countFor(button, chosen) {
  const { verb } = button.dataset;
  let able = 0;
  for (const row of chosen) if (row.querySelector(`[data-do="${verb}"]`)) able += 1;
  button.hidden = able === 0 || (matching && !button.hasAttribute("data-unseen"));
  button.querySelector("[data-number]").textContent = matching ? "" : able;
}

// The nearest deadline of what is selected.
function tick() {
  const due = firstDue(selected());
  const left = due - serverNow();
  const words = Number.isFinite(due) ? `first due ${left > 0 ? `in ${countdown(left)}` : "now"}` : "";
  const shown = bar.querySelector("[data-nearest]");
  if (shown.textContent !== words) shown.textContent = words;
  shown.toggleAttribute("data-soon", left < 60000);
}

function say(words, bad = false) {
  said.textContent = words;
  said.toggleAttribute("data-bad", bad);
  if (words) announce(words);
}

export async function together(verb) {
  const chosen = Array.from(selected());
  if (!chosen.length || bar.getAttribute("aria-busy") === "true") return;
  if (!chosen.some((row) => row.querySelector(`[data-do="${verb}"]`))) {
    say(`None of the selected can be ${DONE[verb]} now.`, true);
    return;
  }
  if (lacksReason(reason, verb === "reject", say)) return;
  const was = document.activeElement;
  const behind = currentRow() ?? chosen.at(-1);
  bar.setAttribute("aria-busy", "true");
  say("");
  try {
    const told = matching ? await askAll(verb) : await askEach(verb, chosen);
    say(`${told.join("; ")}.`);
    if (verb === "reject") reason.value = "";
  } catch (problem) {
    say(unanswered(problem, UNKNOWN), true);
  } finally {
    bar.removeAttribute("aria-busy");
    count();
    keepFocus(was, behind);
  }
}

// Never nowhere: who was in the bar, or in a row that is done, is at the next row then.
function keepFocus(was, behind) {
  const [first] = selected();
  if (was.isConnected && was.checkVisibility() && bar.contains(was)) return;
  if (first) first.querySelector(".title a").focus({ preventScroll: true });
  else if (behind.isConnected) list.goOn(behind);
  else list.form.focus({ preventScroll: true });
}

async function askEach(verb, chosen) {
  const told = [];
  for (let from = 0; from < chosen.length; from += AT_ONCE) {
    const some = chosen.slice(from, from + AT_ONCE);
    const rows = some.map(({ dataset }) => ({ id: dataset.action, version: Number(dataset.version) }));
    told.push((await call(verb, { rows })).message);
  }
  return told;
}

// The desk takes the soonest that match, and says how many are left.
async function askAll(verb) {
  const filter = list.form.dataset.filter ?? "";
  const told = [];
  let seen = list.total();
  for (;;) {
    const { results, left, message } = await call(verb, { filter, seen });
    told.push(message);
    const done = results.filter((one) => one.good).length;
    if (!left || !done || verb === "extend") return told;
    seen = left;
  }
}

async function call(verb, what) {
  const body = { verb, ...what };
  if (verb === "reject") body.reason = reason.value.trim();
  if (verb === "extend") body.seconds = 60 * moreTime;
  const text = JSON.stringify(body);
  if (!keys.has(text)) keys.set(text, newKey());
  const response = await ask("/feed/bulk", {
    method: "POST",
    body: text,
    headers: {
      Accept: "application/json",
      "Content-Type": "application/json",
      "Idempotency-Key": keys.get(text),
    },
    signal: AbortSignal.timeout(LONG),
  });
  const told = await toldBy(response);
  if (!response.ok) throw Object.assign(new Error(told.detail), { words: told.detail });
  keys.delete(text);
  for (const one of told.results) hear(one);
  return told;
}

function hear(one) {
  for (const html of [one.html, one.created]) if (html) list.show(html);
  const row = rowOf(one.id);
  if (!row) return;
  answer(row, one.good ? "" : one.message);
  select(row, !one.good);
}
