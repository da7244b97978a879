// The server's time in this page, whatever the browser's clock says, and the one ticker that
// moves every countdown. Nothing is decided here: at zero a row says "due", never "executed".

const LIVELY = 300; // up to so many rows all countdowns move, beyond it those on screen

let offset = 0; // server's milliseconds minus performance.now()
const listeners = new Set();
const onScreen = new Set();

export function serverNow() {
  return performance.now() + offset;
}

// A frame's time is late by its way here: of several the one that came quickest is right.
export function heardServerTime(text) {
  const heard = Date.parse(text) - performance.now();
  if (Number.isNaN(heard)) return;
  if (Math.abs(heard - offset) > 2000 || heard > offset) offset = heard;
}

export function onTick(listener) {
  listeners.add(listener);
}

export function countdown(left) {
  const seconds = Math.ceil(left / 1000);
  if (seconds <= 0) return "due";
  if (seconds >= 86400) return `${Math.floor(seconds / 86400)} d ${Math.floor((seconds % 86400) / 3600)} h`;
  const two = (number) => String(number).padStart(2, "0");
  const minutes = Math.floor(seconds / 60);
  const rest = two(seconds % 60);
  return minutes < 60 ? `${minutes}:${rest}` : `${Math.floor(minutes / 60)}:${two(minutes % 60)}:${rest}`;
}

export function showCountdown(row) {
  if (row.dataset.state !== "scheduled") return;
  const time = row.querySelector("time[data-deadline]");
  if (!time) return;
  const left = Date.parse(time.dataset.deadline) - serverNow();
  const words = left <= 0 && "waits" in row.dataset ? "waits" : countdown(left);
  if (time.textContent !== words) time.textContent = words;
  const share = Math.max(0, Math.min(1, left / 300000)).toFixed(2);
  if (row.style.getPropertyValue("--left") !== share) row.style.setProperty("--left", share);
}

const watcher = new IntersectionObserver((entries) => {
  for (const { target, isIntersecting } of entries) {
    if (isIntersecting) {
      onScreen.add(target);
      showCountdown(target);
    } else {
      onScreen.delete(target);
    }
  }
});

export function watchRow(row) {
  watcher.observe(row);
  showCountdown(row);
}

export function unwatchRow(row) {
  watcher.unobserve(row);
  onScreen.delete(row);
}

function tick() {
  if (document.visibilityState === "visible") {
    const rows = document.querySelectorAll('li[data-state="scheduled"]');
    for (const row of rows.length > LIVELY ? onScreen : rows) showCountdown(row);
  }
  for (const listener of listeners) listener();
}

function schedule() {
  setTimeout(() => {
    tick();
    schedule();
  }, 1000 - (serverNow() % 1000));
}

export function startClock() {
  heardServerTime(document.querySelector("[data-now]")?.dataset.now);
  document.addEventListener("visibilitychange", tick);
  tick();
  schedule();
}
