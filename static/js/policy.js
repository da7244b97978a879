// The preview follows the form. The desk decides what it says; without this, a button asks.

import { Idiomorph } from "idiomorph";
import { pageOf } from "desk/server.js";

const PAUSE = 250; // milliseconds without a key, before the desk is asked

const form = document.querySelector("[data-policy]");
const shown = document.querySelector("[data-preview]");
let timer = 0;
let latest = 0; // only the answer to the latest question is shown

async function look() {
  const mine = ++latest;
  const url = `${form.dataset.policy}?part=1`;
  const page = await pageOf(url, { method: "POST", body: new FormData(form) });
  if (mine === latest) Idiomorph.morph(shown, page.querySelector("[data-preview]"));
}

form.addEventListener("input", () => {
  clearTimeout(timer);
  timer = setTimeout(() => look().catch(() => {}), PAUSE);
});
