// The filter: a plain form whose address says what the list is narrowed to, followed without a
// reload; Back goes to the filter before. Whether a live row belongs to it the desk says.

import { Idiomorph } from "idiomorph";
import { announce } from "desk/announce.js";
import { ask, unanswered } from "desk/server.js";

const PAUSE = 300; // milliseconds without a key, before a search is made
const TOGETHER = 200; // live rows that come together are one question
const AT_ONCE = 50;

const bar = document.querySelector("[data-filters]");
let timer = null;
let stands = location.search.slice(1); // what the rows are narrowed to

// The address of the fields as they stand, without those that say nothing.
function typed() {
  const found = new URLSearchParams();
  for (const [name, value] of new FormData(bar)) if (value.trim()) found.append(name, value);
  return found.toString();
}

// `load(address)` fetches the page of that address, puts its rows in place and answers the page;
// Escape leaves a field for `form`, the rows.
export function startFilter(load, form) {
  const go = async (query, push) => {
    clearTimeout(timer);
    if (query === stands && push) return;
    if (push && query !== location.search.slice(1)) {
      history.pushState(null, "", query ? `/?${query}` : "/");
    }
    bar.setAttribute("aria-busy", "true");
    try {
      const page = await load(query);
      if (!page || query !== location.search.slice(1)) return;
      stands = query;
      show(page, push);
    } catch (problem) {
      announce(unanswered(problem, ": the rows are those of before. Press Enter to try again."));
    } finally {
      bar.removeAttribute("aria-busy");
    }
  };
  bar.addEventListener("submit", (event) => {
    event.preventDefault();
    go(typed(), true);
  });
  bar.addEventListener("input", (event) => {
    clearTimeout(timer);
    const pause = event.target.matches("[type=checkbox], [type=radio], select") ? 0 : PAUSE;
    timer = setTimeout(() => go(typed(), true), pause);
  });
  bar.addEventListener("keydown", (event) => {
    if (event.key === "Escape" && event.target.matches("[type=search]")) form.focus({ preventScroll: true });
  });
  document.addEventListener("click", (event) => {
    const link = event.target.closest("a[data-narrow]");
    if (!link || event.ctrlKey || event.metaKey || event.shiftKey) return;
    event.preventDefault();
    go(new URL(link.href).search.slice(1), true);
  });
  addEventListener("popstate", () => go(location.search.slice(1), false));
}

// The bar as the desk has it. Where somebody writes their own words stay.
function show(page, keep) {
  const fresh = page.querySelector("[data-filters]");
  Idiomorph.morph(bar, fresh, {
    ignoreActiveValue: keep,
    callbacks: {
      beforeAttributeUpdated: (name, node) => !(name === "open" && node.matches("details")),
    },
  });
}

export function focusSearch() {
  const field = bar.querySelector("[type=search]");
  field.focus();
  field.select();
}

// `answer(frame, belongs)` is called once the desk has said so.
export function asker(query, answer) {
  const frames = new Map();
  let running = false;

  async function flush() {
    const batch = Array.from(frames.values()).slice(0, AT_ONCE);
    for (const frame of batch) frames.delete(frame.id);
    const address = new URLSearchParams(query());
    for (const frame of batch) address.append("id", frame.id);
    const response = await ask(`/feed/match?${address}`);
    if (!response.ok) throw new Error(`the filter answered ${response.status}`);
    const ids = new Set((await response.json()).ids);
    for (const frame of batch) answer(frame, ids.has(frame.id));
  }

  async function run() {
    running = true;
    try {
      while (frames.size) {
        await new Promise((go) => setTimeout(go, TOGETHER));
        await flush();
      }
    } finally {
      running = false;
    }
  }

  return (frame) => {
    frames.delete(frame.id);
    frames.set(frame.id, frame);
    return running ? null : run();
  };
}
