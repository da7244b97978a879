"""The reports: what was counted, in numbers that need no script, and as CSV and JSON."""

import csv
import io
import re
from collections import Counter
from typing import Any

import pytest

from tests.api.world import World
from tests.pages.admin import get
from webapp.domain.buckets import bucket
from webapp.domain.states import State
from webapp.domain.times import SECOND, from_rfc3339
from webapp.services import reports
from webapp.services.count import Counting
from webapp.services.digest import digest
from webapp.store import report_cells
from webapp.web.pages.report_files import harmless

HERE = "/reports"
NOVEMBER = f"{HERE}?from=2026-11-01&to=2026-11-30"
HOSTILE = "=cmd|<script>alert(1)</script>\u202e"


def count(world: World) -> None:
    """What a worker does every few seconds."""
    assert digest(world.desk, [Counting()], 60)


def put(world: World, at: str, agent: str = "returns", **counts: int) -> None:
    """Counted in the half hour of `at`, of refunds.

    `left__12` stands for the bucket of 12 seconds, `money_back__INR` for rupees.
    """
    told = Counter[str]()
    for name, number in counts.items():
        what, _, place = name.partition("__")
        place = f"{bucket(int(place) * SECOND)}" if place.isdigit() else place
        told[f"{what}.{place}" if place else what] = number
    halves = {report_cells.half_hour(from_rfc3339(at), "refund", agent): told}
    world.db.transact(lambda tx: report_cells.add(tx, report_cells.spread(halves)))


def data(world: World, query: str = "from=2026-11-01&to=2026-11-30") -> Any:
    answer = world.ana.client.get(f"/reports.json?{query}")
    assert answer.status_code == 200, answer.text
    return answer.json


def table(world: World, query: str) -> list[dict[str, str]]:
    answer = world.ana.client.get(f"/reports.csv?{query}")
    assert answer.status_code == 200
    assert answer.mimetype == "text/csv"
    return list(csv.DictReader(io.StringIO(answer.text)))


def shown(html: str) -> str:
    """Without the values that a form sends back."""
    return re.sub(r'value="[^"]*"', "", html)


def test_an_empty_desk_says_that_there_is_nothing(world: World) -> None:
    page = get(world.ana, HERE)
    assert page.code == 200
    assert "Nothing to report yet" in page.text
    assert not table(world, "days=7")


def test_what_happened_is_there_once_it_is_counted(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Until then the page says that it is not complete, unless it has only just happened."""
    for kind in ("refund", "label"):
        world.run(world.returns.draft(kind)["id"], State.EXECUTED)
    world.ana.post(f"/actions/{world.shop.draft('refund')['id']}/cancellation")
    assert "Still counting." not in get(world.ana, HERE).text
    monkeypatch.setattr(reports, "USUAL_LAG", 0)
    assert "Still counting." in get(world.ana, HERE).text
    count(world)
    page = get(world.ana, HERE)
    assert "Still counting." not in page.text
    assert "3 drafted 3 scheduled 2 executed" in page.text
    assert "1 cancelled ₹12.50 stopped" in page.text
    assert "Refund shop 1 1 0 0 1 0" in page.text
    only = get(world.ana, f"{HERE}?kind=refund&agent=shop")
    assert "1 drafted 1 scheduled 0 executed" in only.text
    assert "Return label" not in only.text.partition("Show")[2]
    assert "Nothing in these days" in get(world.ana, f"{HERE}?from=2020-01-01&to=2020-01-02").text


def test_days_and_hours_are_those_of_the_zone(world: World) -> None:
    """Half past six in the evening, UTC, is midnight in Kolkata."""
    put(world, "2026-11-10T18:00:00Z", executed=1)
    put(world, "2026-11-10T18:30:00Z", executed=10)
    there = data(world, "from=2026-11-10&to=2026-11-11&zone=Asia/Kolkata")
    assert [day["executed"] for day in there["by_day"]] == [1, 10]
    assert there["by_hour"][23]["executed"] == 1
    assert there["by_hour"][0]["executed"] == 10
    assert there["zone"] == "Asia/Kolkata"
    here = data(world, "from=2026-11-10&to=2026-11-10")
    assert here["by_hour"][18]["executed"] == 11
    assert here["total"]["executed"] == 11


def test_the_curve_and_the_window_beside_it(world: World) -> None:
    """The window of ten minutes is longer than it needs to be, and why stands there."""
    put(world, "2026-11-10T12:00:00Z", view__10=90, view__40=9, no_view__601=1)
    page = get(world.ana, NOVEMBER)
    assert "Refund: 45 s would do" in page.text
    assert "The window of 10 min catches 99%." in page.text
    assert "95% are on somebody’s screen within 40 s. Rounded up to 45 s." in page.text
    assert 'data-window="600"' in page.html
    assert 'data-recommended="45"' in page.html
    [window] = data(world)["windows"]
    assert window["recommended_seconds"] == 45
    assert window["share_in_window"] == 0.99
    assert {"within": 10, "share": 0.9} in window["curve"]


def test_too_little_is_said(world: World) -> None:
    put(world, "2026-11-10T12:00:00Z", view__10=9)
    page = get(world.ana, NOVEMBER)
    assert "Refund: 9 could be measured; from 50 on there is a recommendation." in page.text
    assert "data-window" not in page.html


def test_every_figure_stands_as_a_table(world: World) -> None:
    """Cancels by the seconds left, those that came too late among them."""
    put(world, "2026-11-10T12:00:00Z", left__12=3, late_by__4=2, wait_rejected__90=1, late__0=5)
    text = get(world.ana, NOVEMBER).text
    assert "1–10 s late 0 2" in text
    assert "5–15 s left 3 0" in text
    assert "1–5 min 0 1 0" in text
    assert "up to 5 ms 5" in text


def test_csv_by_kind_day_and_hour(world: World) -> None:
    put(world, "2026-11-10T12:00:00Z", executed=2, money_stopped__INR=1_250)
    put(world, "2026-11-12T13:00:00Z", executed=3)
    period = "from=2026-11-10&to=2026-11-12"
    [line] = table(world, period)
    assert (line["kind"], line["executed"], line["money_stopped_INR"]) == ("refund", "5", "1250")
    assert [line["executed"] for line in table(world, f"{period}&by=day")] == ["2", "0", "3"]
    assert table(world, f"{period}&by=hour")[13]["executed"] == "3"


@pytest.mark.parametrize("begin", ["=", "+", "-", "@", "\t", "\r"])
def test_no_text_is_a_formula(begin: str) -> None:
    assert harmless(f"{begin}1") == f"'{begin}1"
    assert harmless(-1) == -1
    assert harmless("a=1") == "a=1"


def test_an_agent_with_a_hostile_name_does_nothing(world: World) -> None:
    put(world, "2026-11-10T12:00:00Z", agent=HOSTILE, executed=1)
    page = get(world.ana, NOVEMBER)
    assert "<script>alert" not in page.html
    assert "\u202e" not in shown(page.html)
    assert "U+202E" in page.html
    [line] = table(world, "from=2026-11-01&to=2026-11-30")
    assert line["agent"] == f"'{HOSTILE}"
    asked = world.ana.client.get(HERE, query_string={"agent": HOSTILE, "days": "90"})
    assert "\u202e" not in shown(asked.text)


WRONG = {
    "from=2026-12-02&to=2026-12-01": "Is after the last day.",
    "from=yesterday": "Is no day, for example 2026-11-30.",
    "from=2020-01-01": "Is more than 366 days before the last day.",
    "days=0": "Days is a number of days from 1 to 90.",
    "days=" + "9" * 5_000: "Days is a number of days from 1 to 90.",
    "kind=nothing": "Is no kind of action here.",
    "zone=../../etc/passwd": "Zone is no zone, for example Asia/Kolkata.",
    "zone=Nowhere": "Zone is no zone, for example Asia/Kolkata.",
}


def test_what_is_wrong_stands_beside_it(world: World) -> None:
    for query, words in WRONG.items():
        page = get(world.ana, f"{HERE}?{query}")
        assert page.code == 400, query
        assert words in page.text
        assert world.ana.client.get(f"/reports.json?{query}").status_code == 400
        assert world.ana.client.get(f"/reports.csv?{query}").status_code == 400


def test_what_was_entered_stays(world: World) -> None:
    html = get(world.ana, f"{HERE}?from=2026-12-02&to=2026-12-01").html
    assert 'value="2026-12-02"' in html
    assert 'value="2026-12-01"' in html
    assert world.ana.client.get("/reports.csv?by=moon").status_code == 400


def test_none_of_it_is_for_strangers(world: World) -> None:
    stranger = world.app.test_client()
    for path in (HERE, "/reports.csv", "/reports.json"):
        assert stranger.get(path).status_code in (302, 303, 401)
