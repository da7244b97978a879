// The line to the desk: reconnects with the last cursor, so that nothing is missed and nothing
// applied twice; notices a socket that is open and dead; wakes with the page.

import { heardServerTime, onTick } from "desk/clock.js";

const SILENT = 25000; // the server beats every 10 s
const STALE = 300000; // away for so long, the list is fetched again rather than replayed
const LONGEST = 10000;

export class Line {
  constructor(cursor, { row, reset, other, state }) {
    this.cursor = cursor;
    this.told = { row, reset, other, state };
    this.failures = 0;
    this.heard = performance.now();
    this.over = false;
  }

  start() {
    addEventListener("online", () => this.wake());
    addEventListener("offline", () => this.drop());
    addEventListener("pageshow", (event) => event.persisted && this.renew());
    addEventListener("pagehide", () => this.leave());
    document.addEventListener("visibilitychange", () => {
      if (document.visibilityState === "visible") this.wake();
    });
    onTick(() => this.silence() > SILENT && this.renew());
    this.connect();
  }

  silence() {
    return performance.now() - this.heard;
  }

  // At once, but not a second time where a connection lives.
  wake() {
    if (!this.socket || this.silence() > 12000) this.renew();
  }

  renew() {
    this.failures = 0;
    this.close();
    this.connect();
  }

  drop() {
    if (this.over) return;
    this.close();
    this.told.state("lost");
    this.later();
  }

  close() {
    clearTimeout(this.timer);
    const socket = this.socket;
    this.socket = null;
    socket?.close();
  }

  // A connection that is only being made ends with the page; closing it would be a warning.
  leave() {
    if (this.socket?.readyState === WebSocket.OPEN) this.close();
  }

  connect() {
    if (this.over) return;
    clearTimeout(this.timer);
    this.heard = performance.now();
    const url = new URL("/feed/socket", location.href);
    url.protocol = location.protocol === "https:" ? "wss:" : "ws:";
    url.searchParams.set("after", this.cursor);
    const socket = new WebSocket(url);
    this.socket = socket;
    socket.onmessage = (event) => socket === this.socket && this.hear(JSON.parse(event.data));
    socket.onclose = (event) => {
      if (socket !== this.socket) return;
      this.socket = null;
      if (event.code === 4401) {
        this.over = true;
        this.told.state("out");
      } else {
        this.told.state("lost");
        this.later();
      }
    };
  }

  later() {
    const pause = Math.min(LONGEST, 250 * 2 ** this.failures) * (0.5 + Math.random());
    this.failures += 1;
    clearTimeout(this.timer);
    this.timer = setTimeout(() => this.connect(), pause);
  }

  hear(frame) {
    const away = performance.now() - (this.last ?? performance.now());
    this.heard = this.last = performance.now();
    if (frame.now) heardServerTime(frame.now);
    if (frame.type === "hello") {
      this.failures = 0;
      this.told.state("live");
      if (away > STALE || this.behind) this.refetch();
    } else if (frame.type === "row") {
      this.cursor = frame.cursor;
      this.told.row(frame);
      for (const other of frame.also ?? []) this.told.row(other);
    } else if (frame.type === "reset") {
      this.refetch();
    } else {
      this.told.other(frame);
    }
  }

  async refetch() {
    this.behind = true;
    try {
      this.cursor = await this.told.reset();
      this.behind = false;
    } catch {
      this.drop();
    }
  }
}
