// What every page has: times in the reader's zone, keys from page to page, menus that close, tokens
// for late forms.

import { startKeys } from "desk/keys.js";
import { csrfToken } from "desk/server.js";
import { localize } from "desk/zones.js";
import "desk/ago.js";

localize(document);
startKeys();

document.addEventListener("click", (event) => {
  for (const menu of document.querySelectorAll("details:is(.menu, .further)[open]")) {
    if (!menu.contains(event.target)) menu.open = false;
  }
});

document.addEventListener("keydown", (event) => {
  const menu = event.key === "Escape" && document.querySelector("details:is(.menu, .further)[open]");
  if (!menu) return;
  menu.open = false;
  menu.querySelector("summary").focus();
});

// A form that came in a live frame is the same for everybody, and has no token of its own.
document.addEventListener("submit", (event) => {
  const form = event.target;
  if (event.defaultPrevented || form.method !== "post" || form.elements.csrf_token) return;
  const field = document.createElement("input");
  field.type = "hidden";
  field.name = "csrf_token";
  field.value = csrfToken();
  form.append(field);
});
