// Results for listeners, one after the other, politely.

const region = document.querySelector("[data-announce]");

export function announce(words) {
  region.textContent = "";
  // an empty region first, or the same words twice would be said once
  requestAnimationFrame(() => {
    region.textContent = words;
  });
}
