"""Stock: imported whole or not at all, with the line named."""

import pytest

from tests.fixtures.retail import retail_actions, stock_file
from tests.store.rows import available
from webapp.domain.errors import Invalid
from webapp.services.desk import Desk
from webapp.services.stock import import_csv, put, show


def lines(text: str) -> list[str]:
    return text.splitlines(keepends=True)


def test_an_import_puts_every_item(desk: Desk) -> None:
    """CONTRACT, `stock import`: columns sku, available[, name]."""
    assert import_csv(desk, lines('sku,available,name\nmug,3,"Mug, blue"\npot,0,\n')) == 2
    assert [(one.sku, one.available, one.name) for one in show(desk)] == [
        ("mug", 3, "Mug, blue"),
        ("pot", 0, ""),
    ]
    assert import_csv(desk, lines("available,sku\n5, mug \n")) == 1
    assert available(desk.db) == 5
    assert show(desk)[0].name == "Mug, blue", "a name that is left out stays"


def test_the_real_stock_of_a_shop_is_taken(desk: Desk) -> None:
    """Issue 2, must hold: the retail stock, with an item for each exchange."""
    with stock_file().open(newline="") as file:
        count = import_csv(desk, file)
    assert count == len(show(desk)) > 0
    wanted = {a.draft["payload"]["sku"] for a in retail_actions() if a.draft["kind"] == "exchange"}
    assert wanted <= {one.sku for one in show(desk)}


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "missing: available, sku"),
        ("sku\nmug\n", "missing: available"),
        ("SKU,Available\nmug,1\n", "missing"),
        ("sku,available\nmug,3\npot,many\n", "line 3: available"),
        ("sku,available\nmug,-1\n", "line 2: available"),
        ("sku,available\nmug,1.5\n", "line 2: available"),
        ("sku,available\nmug\n", "line 2: available"),
        ("sku,available\nmug,²\n", "line 2: available"),
        ("sku,available\nmug,٣\n", "line 2: available"),
        (f"sku,available\nmug,{10**13}\n", "line 2: available"),
        (f"sku,available\nmug,{'9' * 5000}\n", "line 2: available: '999"),
        ("sku,available\nmug,1\nmug,2\n", "line 3: sku mug is twice"),
        ("sku,available\n,1\n", "line 2: sku"),
        (f"sku,available\n{'x' * 201},1\n", "line 2: sku"),
        ('sku,available\n"mug\nblue",1\n', "line 3: sku"),
        ('sku,available\nmug,1\n"pot,2\n', "line 3"),
        ('"sku,available\nmug,1\n', "line 2"),
        ("sku,available\nmug\x00,1\n", "line 2"),
    ],
)
def test_a_bad_line_is_named_and_nothing_is_written(desk: Desk, text: str, says: str) -> None:
    """Issue 2, bad input: all or nothing, never a traceback."""
    put(desk, "mug", "7")
    with pytest.raises(Invalid, match=says):
        import_csv(desk, lines(text))
    assert [(one.sku, one.available) for one in show(desk)] == [("mug", 7)]


@pytest.mark.parametrize(("sku", "count"), [("", "1"), ("mug", "-1"), ("mug", ""), ("a\nb", "1")])
def test_a_bad_item_is_refused(desk: Desk, sku: str, count: str) -> None:
    """CONTRACT, `stock set SKU N`."""
    with pytest.raises(Invalid):
        put(desk, sku, count)
    assert show(desk) == []
