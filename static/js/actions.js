// Buttons: what the form would post, sent by fetch. The row then shows what the server answered, and
// nothing before: a press that got no answer leaves the row as it was, and can be repeated.

import { announce } from "desk/announce.js";
import { moreTime } from "desk/person.js";
import { ask, newKey, toldBy, unanswered } from "desk/server.js";
import { answer, meantForAnother } from "desk/rows.js";

const keys = new Map(); // one key a press, kept until it got an answer
const asked = new WeakMap(); // by row: what was pressed and has no answer yet
const UNKNOWN = ", so nothing is known. Press again: it is done at most once.";
const STAYS = new Set(["extend"]); // pressed again and again

// `show(html)` puts a row where it belongs; `goOn(row)` is for who did it by a letter.
export function startActions(form, show, goOn = () => {}) {
  form.addEventListener("submit", (event) => event.preventDefault());
  form.addEventListener("click", async (event) => {
    const button = event.target.closest("[data-do]");
    if (!button || isSecond(event, button)) return;
    const [row, verb] = [button.closest("li[data-action]"), button.dataset.do];
    const done = await inTurn(button, row, show);
    const there = row.contains(document.activeElement) || document.activeElement === document.body;
    const byLetter = !event.isTrusted; // pressed by a script: who is on the button itself stays
    if (done && byLetter && there && !STAYS.has(verb)) goOn(row);
  });
  form.addEventListener("keydown", (event) => {
    if (event.repeat && event.target.matches("[data-do]")) event.preventDefault();
    const row = event.target.closest("li[data-asking]");
    if (row) whileAsking(event, row);
  });
}

// The second half of a double click, or of a double press, lands on whatever stands there by then.
function isSecond(event, button) {
  return event.detail >= 2 || (event.detail === 0 && meantForAnother(button));
}

// A frame can show what became of a press before its answer is here, with other buttons: one of
// those waits for the answer, and is pressed then if it still stands, as is more time asked for in
// a row. Any other is pressed once. It is for the version that was seen when it was pressed; more
// time is for whatever stands by then.
async function inTurn(button, row, show) {
  const verb = button.dataset.do;
  const seen = addressOf(button, row);
  while (asked.has(row)) {
    if (asked.get(row).verb === verb && !STAYS.has(verb)) return false;
    await asked.get(row).answer;
  }
  if (!button.isConnected) return false;
  const url = STAYS.has(verb) ? addressOf(button, row) : seen;
  const answer = press(button, row, url, show);
  asked.set(row, { verb, answer });
  try {
    return await answer;
  } finally {
    asked.delete(row);
  }
}

// True: it is done.
async function press(button, row, url, show) {
  if (mustAsk(button, row)) return false;
  if (!keys.has(url)) keys.set(url, newKey());
  const body = new FormData();
  const note = row.querySelector("[data-note]");
  if (note && button.hasAttribute("data-asks")) body.set("note", note.value);
  row.setAttribute("aria-busy", "true");
  answer(row, "");
  try {
    const response = await ask(url, {
      method: "POST",
      body,
      headers: { Accept: "application/json", "Idempotency-Key": keys.get(url) },
    });
    return await hear(response, row, url, show);
  } catch (problem) {
    say(row, unanswered(problem, UNKNOWN));
    return false;
  } finally {
    row.removeAttribute("aria-busy");
  }
}

function addressOf(button, row) {
  const { action, version } = row.dataset;
  const more = button.dataset.do === "extend" ? `&seconds=${60 * moreTime}` : "";
  if (button.hasAttribute("formaction")) return button.formAction + more;
  return `/actions/${action}/${button.dataset.do}?version=${version}${more}`;
}

async function hear(response, row, url, show) {
  const said = await toldBy(response);
  if (response.status === 503) {
    say(row, `The desk cannot decide now: ${said.detail} Press again in a moment.`);
    return false;
  }
  keys.delete(url);
  if (!response.ok) {
    say(row, said.detail);
    return false;
  }
  for (const html of said.rows) show(html);
  const late = said.outcome === "too_late" && row.dataset.outcome === "too_late";
  const itself = said.tone === "good" || late;
  if (!itself) answer(row, said.message);
  announce(said.message);
  return said.tone === "good";
}

function say(row, words) {
  answer(row, words);
  announce(words);
}

// True: the field is open now, and waits for its text.
function mustAsk(button, row) {
  const note = row.querySelector("[data-note]");
  if (!note || !button.hasAttribute("data-asks")) return false;
  const armed = "asking" in row.dataset && button.hasAttribute("data-armed");
  if (armed && note.value.trim()) return false;
  if (armed) say(row, "Write it first, then press again.");
  arm(row, button);
  row.dataset.asking = "";
  note.closest("details").open = true;
  note.focus();
  return true;
}

// The button that sends what is written: its words lose the dots.
function arm(row, button) {
  row.querySelector("[data-armed]")?.removeAttribute("data-armed");
  button?.setAttribute("data-armed", "");
}

function whileAsking(event, row) {
  const button = row.querySelector("[data-armed]");
  if (event.key === "Escape") {
    delete row.dataset.asking;
    arm(row, null);
    answer(row, "");
    button?.focus();
  } else if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) {
    event.preventDefault();
    button?.click();
  }
}
