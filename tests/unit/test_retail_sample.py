"""The sample stands for the whole set: complete groups, every kind, an item in stock for each."""

import csv
from collections import Counter
from pathlib import Path

import pytest

from tests.fixtures.retail import SAMPLE, WHOLE, retail_actions

SOURCES = [
    SAMPLE,
    pytest.param(WHOLE, marks=pytest.mark.skipif(not WHOLE.exists(), reason="only the sample")),
]


@pytest.mark.parametrize("source", SOURCES)
def test_what_an_action_depends_on_stands_before_it(source: Path) -> None:
    ids: dict[str, str] = {}
    for action in retail_actions(source):
        body = action.body(ids)
        assert len(body.get("depends_on", [])) == len(action.depends_on_local)
        ids[action.local] = f"id-{len(ids)}"


def test_the_sample_has_every_kind_and_its_stock() -> None:
    drafts = [action.draft for action in retail_actions(SAMPLE)]
    wanted = Counter(d["payload"]["sku"] for d in drafts if d["kind"] == "exchange")
    with (SAMPLE / "retail-stock.csv").open(newline="") as file:
        available = {row["sku"]: int(row["available"]) for row in csv.DictReader(file)}
    assert {draft["kind"] for draft in drafts} == {"refund", "label", "reply", "exchange"}
    assert all(available[sku] >= count for sku, count in wanted.items())
    assert 0 in available.values()  # something is sold out, for `out_of_stock`
