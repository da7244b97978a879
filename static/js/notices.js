// Notices of the system for what should not wait until somebody looks: only for who asked for them,
// where the browser allows it, and while nobody looks at this page. They name no customer: a lock
// screen shows them to anybody.

import { parseRow } from "desk/rows.js";

const TROUBLED = new Map([
  ["failed", "failed"],
  ["unknown", "has an outcome that nobody knows"],
  ["held", "is held for a person"],
]);
const wanted =
  "notify" in document.documentElement.dataset &&
  "Notification" in window &&
  Notification.permission === "granted";

// `known` is the row as it stands on this page, if it does.
export function notice(frame, known) {
  const words = TROUBLED.get(frame.state);
  if (!wanted || !words || known?.dataset.state === frame.state) return;
  if (document.visibilityState === "visible" && document.hasFocus()) return;
  const link = parseRow(frame.html).querySelector(".title a");
  // one a row, however many tabs are open
  const shown = new Notification(`${link.textContent.trim()} ${words}`, {
    tag: `${frame.id}:${frame.state}`,
    icon: "/static/icon.svg",
  });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
    location.assign(link.href);
  });
}
