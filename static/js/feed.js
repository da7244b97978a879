// The feed's page: rows live over the socket, buttons by fetch, countdowns by the server's time.

import { startActions } from "desk/actions.js";
import { startBulk, together } from "desk/bulk.js";
import { onTick, startClock } from "desk/clock.js";
import { focusSearch, startFilter } from "desk/filter.js";
import { bind } from "desk/keys.js";
import { hearOther, showState, startLine } from "desk/line.js";
import { isWhole, narrow, refetch, startList, hearRow, show, total, topUp } from "desk/list.js";
import { sayMilestones } from "desk/milestones.js";
import { letIn, startNewcomers } from "desk/newcomers.js";
import { count, settle, startOrder } from "desk/order.js";
import { between, goOn, startRowKeys } from "desk/rowkeys.js";
import { adopt, rows } from "desk/rows.js";
import { startSelection } from "desk/selection.js";
import { Line } from "desk/socket.js";
import { startUnseen } from "desk/unseen.js";
import { startViews } from "desk/views.js";

const form = document.querySelector("[data-feed]");
const onward = (row) => goOn(form, row);

for (const row of form.querySelectorAll("li[data-action]")) adopt(row);
startClock();
startOrder();
startLine();
startUnseen(form.dataset.unread?.split(" ").filter(Boolean) ?? []);
startSelection(form, (one, other) => between(form, one, other));
startActions(form, show, onward);
startBulk({ form, show, all: () => Array.from(rows()), total, whole: isWhole, goOn: onward });
startNewcomers();
startFilter(narrow, form);
startRowKeys(form, { together });
bind({ "/": focusSearch });
startViews();
const line = new Line(form.dataset.cursor, {
  row: hearRow,
  reset: refetch,
  other: hearOther,
  state: showState,
});
startList(line);
line.start();
onTick(() => {
  const moved = settle();
  if (letIn() || moved) count();
  sayMilestones();
  topUp();
});
