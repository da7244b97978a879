// The server's time in this page, whatever the browser's clock says, and the one ticker that
// moves every countdown. Nothing is decided here: at zero a row says "due", never "executed".
// A countdown never promises more than is left: it is rounded down, and the last minute is looked
// at four times a second.

import { onScreen, onSight, unwatchSight, watchSight } from "desk/onscreen.js";

const STEP = 250; // milliseconds
const SOON = 61000;
const LIVELY = 300; // up to so many rows all countdowns move, beyond it those on screen

let second = 0; // the last whole one that ticked
let offset = 0; // server's milliseconds minus performance.now()
const listeners = new Set();
const watched = new Set();

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
  if (left <= 0) return "due";
  const seconds = Math.floor(left / 1000);
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
  row.soon = left < SOON;
  const words = left <= 0 && "waits" in row.dataset ? "waits" : countdown(left);
  if (time.textContent !== words) time.textContent = words;
  const share = Math.max(0, Math.min(1, left / 300000)).toFixed(2);
  if (row.style.getPropertyValue("--left") !== share) row.style.setProperty("--left", share);
}

onSight((row, share) => share > 0 && showCountdown(row));

export function watchRow(row) {
  watched.add(row);
  watchSight(row);
  showCountdown(row);
}

export function unwatchRow(row) {
  watched.delete(row);
  unwatchSight(row);
}

function move(all) {
  if (document.visibilityState !== "visible") return;
  for (const row of watched.size > LIVELY ? onScreen : watched) {
    if (all || row.soon) showCountdown(row);
  }
}

function tick() {
  const now = Math.floor(serverNow() / 1000);
  const whole = now !== second;
  second = now;
  move(whole);
  if (whole) for (const listener of listeners) listener();
}

function schedule() {
  setTimeout(() => {
    tick();
    schedule();
  }, STEP - (serverNow() % STEP));
}

export function startClock() {
  heardServerTime(document.querySelector("[data-now]")?.dataset.now);
  document.addEventListener("visibilitychange", () => move(true));
  tick();
  schedule();
}
