// One action's page: its row is live, and its story is fetched again whenever the row changed.

import { Idiomorph } from "idiomorph";
import { startActions } from "desk/actions.js";
import { startClock } from "desk/clock.js";
import { hearOther, showState, startLine } from "desk/line.js";
import { adopt, parseRow, update } from "desk/rows.js";
import { pageOf } from "desk/server.js";
import { Line } from "desk/socket.js";
import { startViews } from "desk/views.js";
import { localize } from "desk/zones.js";

const form = document.querySelector("[data-feed]");
const row = form.querySelector("li[data-action]");

async function retell() {
  const page = await pageOf(location.pathname);
  const fresh = page.querySelector("[data-story]");
  localize(fresh);
  Idiomorph.morph(document.querySelector("[data-story]"), fresh);
  update(row, page.querySelector("li[data-action]"));
  return page.querySelector("[data-feed]").dataset.cursor;
}

function show(html) {
  const fresh = parseRow(html);
  if (fresh.dataset.action === row.dataset.action && update(row, fresh)) retell().catch(() => {});
}

adopt(row);
startClock();
startLine();
startActions(form, show);
startViews();
new Line(form.dataset.cursor, {
  row: (frame) => frame.id === row.dataset.action && show(frame.html),
  reset: retell,
  other: hearOther,
  state: showState,
}).start();
