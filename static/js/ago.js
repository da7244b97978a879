// How long ago something happened, for as long as the page says so in those words.

import { onTick, serverNow } from "desk/clock.js";

const times = document.getElementsByClassName("ago");

// The same words as webapp/web/moments.py has for the first page.
function ago(seconds) {
  if (seconds < 1) return "just now";
  if (seconds < 60) return `${seconds} s ago`;
  return seconds < 3600 ? `${Math.floor(seconds / 60)} min ago` : `${Math.floor(seconds / 3600)} h ago`;
}

onTick(() => {
  const now = serverNow();
  for (const time of times) {
    const words = ago(Math.floor((now - Date.parse(time.dateTime)) / 1000));
    if (time.textContent !== words) time.textContent = words;
  }
});
