// Which rows are on screen: one observer for all who want to know. Of a long list the browser itself
// says which rows it skips (content-visibility), and those need no watching: what is watched costs
// time in every frame, thousands of rows several milliseconds.

export const onScreen = new Set(); // rows of which anything is seen

const SKIPS = "contentvisibilityautostatechange";
const listeners = new Set();
const skipped = new WeakSet();
const watcher = new IntersectionObserver(
  (entries) => {
    for (const { target, isIntersecting, intersectionRatio } of entries) {
      tell(target, isIntersecting, intersectionRatio);
    }
  },
  { threshold: [0, 0.5] },
);

// `listener(row, share)`: how much of it is on screen now, from 0 to 1.
export function onSight(listener) {
  listeners.add(listener);
}

function tell(row, seen, share) {
  if (seen && !skipped.has(row)) onScreen.add(row);
  else onScreen.delete(row);
  for (const listener of listeners) listener(row, onScreen.has(row) ? share : 0);
}

function hear({ target, skipped: is }) {
  if (is) {
    skipped.add(target);
    watcher.unobserve(target);
    tell(target, false, 0);
  } else {
    skipped.delete(target);
    watcher.observe(target);
  }
}

export function watchSight(row) {
  row.addEventListener(SKIPS, hear);
  watcher.observe(row);
}

export function unwatchSight(row) {
  row.removeEventListener(SKIPS, hear);
  watcher.unobserve(row);
  tell(row, false, 0);
}

// Told again of every row, as when the page comes back into view.
export function lookAgain(rows) {
  for (const row of rows) {
    if (skipped.has(row)) continue;
    watcher.unobserve(row);
    watcher.observe(row);
  }
}
