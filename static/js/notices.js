// Notices of the system for what should not wait until somebody looks: on the pages of who asked for
// them, where the browser allows it, and while nobody looks at this page. They name no customer: a
// lock screen shows them to anybody.

import { TROUBLE } from "desk/trouble.js";

const began = Date.parse(document.querySelector("[data-now]")?.dataset.now);
const allowed = "Notification" in window && Notification.permission === "granted";

function notice(row) {
  const words = TROUBLE.get(row.dataset.state);
  if (!words || (document.visibilityState === "visible" && document.hasFocus())) return;
  const link = row.querySelector(".title a");
  // one a row and state, however many tabs are open
  const shown = new Notification(`${link.textContent.trim()} ${words}`, {
    tag: `${row.dataset.action}:${row.dataset.state}`,
    icon: "/static/icon.svg",
  });
  shown.addEventListener("click", () => {
    window.focus();
    shown.close();
    location.assign(link.href);
  });
}

// What comes in as the list is filled is no news: only what has happened since the page began.
const isNews = (row) => Date.parse(row.querySelector("time[datetime]")?.dateTime) > began;

function hear(changes) {
  for (const { type, target, oldValue, addedNodes } of changes) {
    if (type === "attributes") {
      if (target.matches("li[data-action]") && oldValue !== target.dataset.state) notice(target);
    } else {
      for (const node of addedNodes) {
        if (node.matches?.("li[data-action]") && !node.told && isNews(node)) notice(node);
        node.told = true; // a row that only moves is none
      }
    }
  }
}

const list = document.querySelector("[data-feed]");
if (allowed && list) {
  for (const row of list.querySelectorAll("li[data-action]")) row.told = true;
  const options = { subtree: true, childList: true, attributeOldValue: true };
  new MutationObserver(hear).observe(list, { ...options, attributeFilter: ["data-state"] });
}
