// J and K move from row to row, X selects, A approves, R rejects: the selection, else the row that
// has the focus. Single letters can be switched off (WCAG 2.1.4), and mean nothing while one writes.

const WRITES = "input:not([type=checkbox]), textarea, select, details.menu";

export function startKeys(list, selection) {
  if (document.documentElement.dataset.keys === "off") return;
  const keys = {
    j: () => move(list, 1),
    k: () => move(list, -1),
    x: () => current(list)?.querySelector(".pick")?.click(),
    a: () => (selection.picked() ? selection.approve() : press(list, "approve")),
    r: () => (selection.picked() ? selection.reject() : press(list, "reject")),
  };
  document.addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const key = event.key.toLowerCase();
    const held = event.repeat && key !== "j" && key !== "k";
    if (held || !Object.hasOwn(keys, key) || event.target.closest(WRITES)) return;
    event.preventDefault();
    keys[key]();
  });
}

const current = (list) => {
  const row = document.activeElement?.closest("li[data-action]");
  return row && list.contains(row) ? row : null;
};

function press(list, verb) {
  current(list)?.querySelector(`[data-do="${verb}"]`)?.click();
}

function move(list, by) {
  const rows = Array.from(list.children);
  const at = rows.indexOf(current(list));
  const row = at < 0 ? rows[0] : rows[at + by];
  if (!row) return;
  row.querySelector(".pick, .title a").focus({ preventScroll: true });
  row.scrollIntoView({ block: "nearest" });
}
