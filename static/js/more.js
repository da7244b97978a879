// The rows behind the first page: fetched piece by piece while nothing else is to do, up to as many
// as the feed is built for, and put in a few at a time, so that no key waits for them.

import { pageOf } from "desk/server.js";

const MOST = 3000; // rows
const SLICE = 20; // milliseconds of work at a time
const FEW = 25; // rows that are always put in together: each time costs a frame, too
const ROWS = "li[data-action]";

const idle = (work) => (window.requestIdleCallback ?? setTimeout)(work, { timeout: 100 });
export const aMoment = () => new Promise((go) => idle(go));

export async function listOf(path) {
  return (await pageOf(path)).querySelector("[data-feed]");
}

// `take(row)` for each row of `form`, in slices.
export async function takeAll(form, take) {
  let [until, taken] = [performance.now() + SLICE, 0];
  for (const row of form.querySelectorAll(ROWS)) {
    take(document.adoptNode(row));
    taken += 1;
    if (taken < FEW || performance.now() < until) continue;
    await aMoment();
    [until, taken] = [performance.now() + SLICE, 0];
  }
}

// Everything behind `after`; answers where it stopped, "" where nothing is left. `goes()` says
// whether to go on.
export async function takeRest(query, after, take, { have, goes }) {
  while (after && have() < MOST && goes()) {
    await aMoment();
    const address = new URLSearchParams(query);
    address.set("after", after);
    const form = await listOf(`/feed/rows?${address}`);
    await aMoment();
    if (!goes()) break;
    await takeAll(form, take);
    after = form.dataset.after ?? "";
  }
  return after;
}
