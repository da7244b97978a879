// What failed, is held or of unknown outcome and has not been seen: its number stands in the title
// and on the page's icon, also in a tab that is out of sight.

import { rows } from "desk/rows.js";
import { TROUBLE } from "desk/trouble.js";
import { onSeen } from "desk/views.js";

const MOST = 99;
const icon = document.querySelector('link[rel="icon"]');
const plain = icon.href;
const unseen = new Set(); // ids
let named = unseen;
let shown = null;
const name = document.title.replace(/^\(\d+\+?\) /, "");

// A row that is new here, or another than before. What the page came with has been seen, but for
// the rows that it named.
export function trouble(row, live = true) {
  const { action, state, version } = row.dataset;
  if (!live && !named.has(action)) row.seen = version;
  if (TROUBLE.has(state) && row.seen !== version) unseen.add(action);
  else unseen.delete(action);
  show();
}

export function gone(row) {
  if (unseen.delete(row.dataset.action)) show();
}

function show() {
  const number = unseen.size;
  if (number === shown) return;
  shown = number;
  const words = number > MOST ? `${MOST}+` : String(number);
  document.title = number ? `(${words}) ${name}` : name;
  icon.href = number ? drawn(words) : plain;
}

function drawn(words) {
  const size = 64;
  const canvas = Object.assign(document.createElement("canvas"), { width: size, height: size });
  const pen = canvas.getContext("2d");
  pen.fillStyle = "#b3261e";
  pen.beginPath();
  pen.roundRect(0, 0, size, size, 16);
  pen.fill();
  pen.fillStyle = "#fff";
  pen.font = `700 ${words.length > 2 ? 30 : 44}px system-ui, sans-serif`;
  pen.textAlign = "center";
  pen.textBaseline = "middle";
  pen.fillText(words, size / 2, size / 2 + 3);
  return canvas.toDataURL();
}

// `ids`: what this person has not seen of it when the page was made, on this page or not.
export function startUnseen(ids) {
  named = new Set(ids);
  for (const id of ids) unseen.add(id);
  for (const row of rows()) trouble(row, false);
  onSeen((row) => {
    row.seen = row.dataset.version;
    gone(row);
  });
  show();
}
