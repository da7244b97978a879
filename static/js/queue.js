// Frames are applied in slices, the newest of each row only: a burst never blocks a click.

const SLICE = 8; // milliseconds

export function slices(apply, after) {
  const waiting = new Map();
  let running = false;

  function drain() {
    const until = performance.now() + SLICE;
    for (const [id, frame] of waiting) {
      waiting.delete(id);
      apply(frame);
      if (performance.now() > until) break;
    }
    if (waiting.size) {
      setTimeout(drain, 0);
    } else {
      running = false;
      after();
    }
  }

  return (frame) => {
    waiting.delete(frame.id);
    waiting.set(frame.id, frame);
    if (running) return;
    running = true;
    queueMicrotask(drain);
  };
}
