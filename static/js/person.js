// What the reader has chosen for themself, as the page says it (`<html data-…>`), and what follows
// from it for a row: a live row is the same for everybody.

const page = document.documentElement;

export const keysOn = () => page.dataset.keys !== "off";

// How many times the usual time one press of "+1 min" gives.
export const moreTime = Number(page.dataset.moreTime) || 1;

export function personal(row) {
  const button = moreTime > 1 && row.querySelector('[data-do="extend"]');
  const words = `+${moreTime} min`;
  if (button && button.textContent !== words) button.textContent = words;
}
