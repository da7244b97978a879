// Single keys, each bound once. They can be switched off (WCAG 2.1.4), and mean nothing while one
// writes, in a menu or in a dialog.

import { keysOn } from "desk/person.js";

const PAGES = { f: "/", p: "/approvals", r: "/reports" };
const WRITES =
  "input:not([type=checkbox]), textarea, select, details:is(.menu, .further), [contenteditable], dialog";
const REPEATS = new Set(["j", "k", "shift+j", "shift+k"]);
const CHORD = 1500; // milliseconds for the second key of two

const bound = new Map();
let before = { key: "", at: -Infinity };

// `bind({ j: act, "shift+j": act, "g f": act })`; an act that answers false has done nothing.
export function bind(more) {
  for (const [key, act] of Object.entries(more)) bound.set(key, act);
}

function nameOf(event) {
  let key = event.key.toLowerCase();
  // a layout without these letters: the key where they are on others
  if (key.length === 1 && key > "~" && event.code.startsWith("Key")) key = event.code[3].toLowerCase();
  return event.shiftKey && /^[a-z]$/.test(key) ? `shift+${key}` : key;
}

function actOf(event) {
  const key = nameOf(event);
  const two = event.timeStamp - before.at < CHORD && bound.get(`${before.key} ${key}`);
  before = { key, at: event.timeStamp };
  if (two) return two;
  return event.repeat && !REPEATS.has(key) ? null : bound.get(key);
}

function hear(event) {
  if (event.defaultPrevented || event.isComposing || event.ctrlKey || event.metaKey || event.altKey) return;
  if (!keysOn() && event.key !== "Escape") return;
  if (event.target.closest?.(WRITES) || document.querySelector("dialog[open]")) return;
  const act = actOf(event);
  if (act && act(event) !== false) event.preventDefault();
}

export function startKeys() {
  const help = document.querySelector("[data-help]");
  document.addEventListener("keydown", hear);
  if (!help) return;
  for (const button of document.querySelectorAll("[data-helps]")) {
    button.addEventListener("click", () => help.showModal());
  }
  bind({ "?": () => help.showModal() });
  for (const [key, path] of Object.entries(PAGES)) bind({ [`g ${key}`]: () => location.assign(path) });
}
