"""What a row and a page say of shadow, the breaker and desk hours; what the form says of them."""

import re
from html import unescape
from typing import Any

import pytest

from tests.api.world import World
from tests.pages.admin import form, get, policy, post
from webapp.domain.times import from_rfc3339
from webapp.web.moments import Zone


def row(world: World, action_id: str) -> str:
    """The row's words on the feed."""
    html = world.ana.client.get("/").text
    found = re.search(rf'<li class="action" data-action="{action_id}".*?</li>', html, re.DOTALL)
    assert found
    return " ".join(re.sub(r"<[^>]+>", " ", found[0]).split())


def page(world: World, action_id: str) -> str:
    html = world.ana.client.get(f"/actions/{action_id}").text
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", html).split()))


def drafted(world: World, **changes: Any) -> str:
    return str(world.returns.draft(**changes)["id"])


def test_shadow_says_when_a_window_would_have_run_it(world: World) -> None:
    """Issue 4: approval stays on; the row shows what would have run, and when."""
    world.policy("refund", mode="shadow")
    made = world.returns.draft()
    would = made["decision"]["would_have"]
    at = from_rfc3339(would["execute_at"])
    words = f"In shadow: a window would have run it at {Zone('UTC').clock(at)} , unless cancelled."
    assert words in row(world, made["id"])
    shown = page(world, made["id"])
    assert words in shown
    assert f"A window would run it {Zone('UTC').stamp(at)}" in shown
    assert "Why approval, in shadow" in shown
    assert "instead of: window of 600 s" in shown


@pytest.mark.parametrize(
    ("rule", "words"),
    [
        ({"approval_above": "1:INR"}, "In shadow: it would wait for approval without it too."),
        ({"spend": "1:INR/60"}, "In shadow: a window would not have run it, the breaker would"),
    ],
)
def test_shadow_says_what_would_not_have_run(
    world: World, rule: dict[str, str], words: str
) -> None:
    world.policy("refund", mode="shadow", **rule)
    made = drafted(world)
    assert words in row(world, made)
    assert words in page(world, made)


def test_the_breaker_says_so_on_every_row_it_holds(world: World) -> None:
    """Issue 4: holds that agent's scheduled actions and says so."""
    world.policy("refund", burst="1/60")
    first, second = drafted(world), drafted(world)
    for made in (first, second):
        assert row(world, made).count("breaker: more than 1 by this agent within 60 s") == 1
        assert row(world, made).startswith("Held by the policy")
        assert "breaker: more than 1 by this agent within 60 s" in page(world, made)
    assert "held by the policy" in page(world, first)


def test_a_duplicate_is_marked_on_its_row(world: World) -> None:
    """CONTRACT: `same` only marks the row."""
    first, second = drafted(world, order="o-1"), drafted(world, order="o-1")
    words = "likely duplicate: same order, kind and amount within a day"
    assert words not in row(world, first)
    assert words in row(world, second)
    assert words in page(world, second)


def test_desk_hours_are_shown_in_the_desks_zone_with_its_name(world: World) -> None:
    """Issue 4: shown in the desk's zone with its name, on the action's page and in settings."""
    world.settings.__dict__["timezone"] = "Asia/Kolkata"
    world.desk.__init__(world.db, world.settings)  # type: ignore[misc]
    world.policy("refund", desk_hours="Mon-Sun 00:00-24:00")
    made = world.returns.draft()
    shown = page(world, made["id"])
    assert "Desk hours Mon-Sun 00:00-24:00, Asia/Kolkata" in shown
    at = Zone("Asia/Kolkata").stamp(from_rfc3339(made["execute_at"]))
    assert f"By the desk's clock {at}" in shown
    assert "window of 600 s, counted Mon-Sun 00:00-24:00 in Asia/Kolkata" in shown
    settings = get(world.ida, "/settings/refund").text
    assert "clock (Asia/Kolkata)" in settings
    words = "Windows count only while the desk is open: Mon-Sun 00:00-24:00 in Asia/Kolkata."
    assert words in settings


def test_the_form_sets_every_rule_and_says_what_it_means(world: World) -> None:
    """CONTRACT: the same validation and words as the command."""
    rules = {
        "mode": "shadow",
        "first_of_kind": "approval",
        "likely_duplicate": "long_window",
        "desk_hours": "Mon-Fri 09:00-18:00",
        "burst": "20/60",
        "spend": "500000:INR/3600",
    }
    assert post(world.ida, "/settings/refund", form(world.ida, "refund") | rules).code == 303
    saved = policy(world, "refund")
    assert {key: saved[key] for key in rules} == rules
    shown = get(world.ida, "/settings/refund").text
    for words in (
        "A refund waits for approval, and shows what a window would have done.",
        "With the window: a refund runs 10 min after drafting, unless somebody cancels.",
        "The first for a customer, or by an agent, waits for approval.",
        "One with the order and amount of another within a day runs 15 min after drafting.",
        "Beyond 20 within 1 min by one agent it is held, and what that agent has scheduled of",
        "Beyond 5,000.00 INR within 1 h by one agent it is held",
        "Windows count only while the desk is open: Mon-Fri 09:00-18:00 in UTC.",
    ):
        assert words in shown
    cleared = form(world.ida, "refund") | {"burst": "", "spend": "", "desk_hours": "always"}
    assert post(world.ida, "/settings/refund", cleared).code == 303
    assert policy(world, "refund")["burst"] is None


def test_what_has_no_amount_is_not_asked_about_money(world: World) -> None:
    html = get(world.ida, "/settings/label").html
    assert 'name="burst"' in html
    assert 'name="spend"' not in html
    assert 'name="likely_duplicate"' not in html
