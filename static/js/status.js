// Keeps a customer's status page up to date: asks for the same page again, and puts its words in
// place when they have changed. It stops when the server says that nothing is to come.

const SLOWEST = 60; // seconds: in a hidden tab, and after failures
const main = document.querySelector("main");
const told = main.querySelector("[data-told]");
let failures = 0;
let timer;
let asking = false;

function plan() {
  clearTimeout(timer);
  if (!main.dataset.again) return;
  const hidden = document.visibilityState === "hidden";
  const seconds = hidden ? SLOWEST : Math.min(SLOWEST, Number(main.dataset.again) * 2 ** failures);
  timer = setTimeout(look, seconds * 1000);
}

async function look() {
  if (asking) return;
  asking = true;
  try {
    const response = await fetch(location.pathname, {
      cache: "no-store",
      signal: AbortSignal.timeout(10000),
    });
    // taken back, or its time is over: the page that says so has nothing to follow
    if (response.status === 404) return location.reload();
    if (!response.ok) throw new Error(`the page answered ${response.status}`);
    show(new DOMParser().parseFromString(await response.text(), "text/html"));
    failures = 0;
  } catch {
    failures = Math.min(failures + 1, 5);
  } finally {
    asking = false;
    plan();
  }
}

function show(page) {
  const fresh = page.querySelector("main[data-status]");
  const words = fresh.querySelector("[data-told]");
  const now = "[data-as-of]";
  main.querySelector(now).replaceChildren(...fresh.querySelector(now).childNodes);
  const button = "[data-objection]";
  put(main.querySelector(button), fresh.querySelector(button));
  if (fresh.dataset.again) main.dataset.again = fresh.dataset.again;
  else delete main.dataset.again;
  if (words.textContent !== told.textContent) {
    told.replaceChildren(...words.childNodes);
    document.title = page.title;
  }
  if (fresh.dataset.status === main.dataset.status) return;
  main.dataset.status = fresh.dataset.status;
  const said = Array.from(told.querySelectorAll("h1, p"), (line) => line.textContent.trim());
  document.querySelector("[data-announce]").textContent = said.join("\n");
}

// What a reader has marked, or stands on, stays while nothing changed.
function put(old, fresh) {
  if (fresh.textContent === old.textContent) return;
  const focused = old.contains(document.activeElement);
  old.replaceChildren(...fresh.childNodes);
  if (focused) old.querySelector("button")?.focus();
}

document.addEventListener("visibilitychange", () => {
  if (document.visibilityState === "visible" && main.dataset.again) look();
  else plan();
});
plan();
