// One list of rows, each at the place that its key had when it was put there. The next row is found
// by halving, so that thousands of rows cost no more than a few.

export class Places {
  constructor(list) {
    this.list = list;
    this.rows = [];
    for (const row of list.children) this.rows.push(row);
  }

  // The place of the first row behind `key`.
  find(key) {
    let [from, to] = [0, this.rows.length];
    while (from < to) {
      const middle = (from + to) >> 1;
      if (this.rows[middle].placed > key) to = middle;
      else from = middle + 1;
    }
    return from;
  }

  next(key) {
    return this.rows[this.find(key)] ?? null;
  }

  put(row, key) {
    const at = this.find(key);
    const next = this.rows[at] ?? null;
    row.placed = key;
    this.rows.splice(at, 0, row);
    if (row.parentElement !== this.list || row.nextElementSibling !== next) {
      this.list.insertBefore(row, next);
    }
  }

  take(row) {
    const at = this.rows.indexOf(row);
    if (at >= 0) this.rows.splice(at, 1);
  }
}
