"""What `exchange` may reserve: import, set, show."""

import csv
from collections.abc import Collection, Iterable

from webapp.domain.errors import FieldError, Invalid
from webapp.services.desk import Desk
from webapp.store import admin_log, stock
from webapp.store.admin_log import Area
from webapp.store.engine import Tx
from webapp.store.stock import Item

MOST = 10**12


def import_csv(desk: Desk, lines: Iterable[str]) -> int:
    """Put every item of a CSV with the columns sku, available[, name]; how many they were.

    All or nothing. Raises Invalid, naming the line.
    """
    reader = csv.DictReader(lines, strict=True)
    items: dict[str, Item] = {}
    errors: list[FieldError] = []
    try:
        _check_columns(reader.fieldnames or ())
        for row in reader:
            try:
                if None in row:  # where `csv` puts what no column is named for
                    raise ValueError("has more fields than the first line names")
                item = _item(row.get("sku"), row.get("available"), row.get("name") or "")
            except ValueError as problem:
                errors.append(FieldError(f"line {reader.line_num}", str(problem)))
                continue
            if item.sku in items:
                errors.append(FieldError(f"line {reader.line_num}", f"sku {item.sku} is twice"))
            items[item.sku] = item
    except csv.Error as problem:
        # The inner reader's number: the outer one's stands still at the last good line.
        errors.append(FieldError(f"line {reader.reader.line_num}", str(problem)))
    if errors:
        words = "; ".join(f"{error.pointer}: {error.detail}" for error in errors[:5])
        raise Invalid(words, tuple(errors))
    desk.db.transact(lambda tx: stock.put(tx, items.values()))
    return len(items)


def put(desk: Desk, sku: str, available: str, by: str = "command") -> None:
    """Set what is available of one item. Raises Invalid."""
    try:
        item = _item(sku, available, "")
    except ValueError as problem:
        raise Invalid(str(problem)) from None

    def work(tx: Tx) -> None:
        stock.put(tx, [item])
        admin_log.note(tx, Area.STOCK, item.sku, f"{item.available} available", by)

    desk.db.transact(work)


def show(desk: Desk) -> list[Item]:
    """All items, by sku."""
    with desk.db.read() as tx:
        return stock.everything(tx)


def _check_columns(names: Collection[str]) -> None:
    missing = {"sku", "available"} - set(names)
    if missing:
        raise Invalid(
            f"The first line must name the columns; missing: {', '.join(sorted(missing))}."
        )


def _item(sku: str | None, available: str | None, name: str) -> Item:
    sku = (sku or "").strip()
    if not 1 <= len(sku) <= 200 or not sku.isprintable():
        raise ValueError("sku: needs 1 to 200 printable characters")
    count = (available or "").strip()
    # Its length first: of thousands of digits Python refuses to make a number, in its own words.
    if not (count.isascii() and count.isdecimal() and len(count) < 19) or int(count) > MOST:
        raise ValueError(f"available: {count[:60]!r} is not a whole number from 0 to {MOST}")
    return Item(sku, int(count), name.strip()[:500])
