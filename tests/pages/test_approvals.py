"""The approvals' page: the queue, one decision and several, with and without scripts."""

import re
from typing import Any

import pytest
from sqlalchemy import update

from tests.api.world import Person, World
from tests.pages.admin import Answer, get
from tests.pages.test_feed import press
from webapp.domain.times import SECOND
from webapp.services import approvals
from webapp.store.schema import action as table

HERE = "/approvals"
HOSTILE = "<script>alert(1)</script>\u202e"


@pytest.fixture
def queue(world: World) -> list[dict[str, Any]]:
    """Three refunds that wait, the oldest first."""
    world.policy("refund", mode="approval")
    return [world.returns.draft(order=f"o-{number}") for number in range(3)]


def rows(page: Answer) -> dict[str, str]:
    """The rows of the page by id, in their order."""
    found = re.findall(r'<li class="action" data-action="([^"]+)".*?</li>', page.html, re.DOTALL)
    parts = re.findall(r'<li class="action" data-action=.*?</li>', page.html, re.DOTALL)
    return dict(zip(found, parts, strict=True))


def pick(*actions: dict[str, Any]) -> list[str]:
    return [f"{one['id']}:{one['version']}" for one in actions]


def decide(
    who: Person, verb: str, picks: list[str], reason: str = "", *, script: bool = False
) -> Any:
    fields = {"do": verb, "pick": picks, "reason": reason, "csrf_token": who.csrf}
    headers = {"Accept": "application/json"} if script else {}
    return who.client.post(HERE, data=fields, headers=headers)


def ticked(html: str) -> list[str]:
    """Ids that are still selected."""
    return re.findall(r'name="pick" value="([^":]+):\d+" checked', html)


def states(world: World, *actions: dict[str, Any]) -> list[str]:
    return [world.look(one["id"])["state"] for one in actions]


def test_the_queue_is_oldest_first_with_all_that_is_decided_on(
    world: World, queue: list[dict[str, Any]]
) -> None:
    """Issue 4, 4: age, the rule that sent it here, the payload, the decision's version."""
    past = update(table).where(table.c.id == queue[0]["id"])
    at = world.desk.now() - (2 * 3_600 + 5 * 60 + 1) * SECOND
    world.db.transact(lambda tx: tx.conn.execute(past.values(drafted_at=at)))
    page = get(world.ana, HERE)
    found = rows(page)
    assert list(found) == [one["id"] for one in queue]
    first = found[queue[0]["id"]]
    assert ">2 h 5 min</span>" in first
    assert "this kind needs approval" in first
    assert re.search(r"<dt>payment</dt><dd>pay-1</dd>", first)
    assert re.search(r"<dt>amount</dt><dd>₹12.50</dd>", first)
    assert f'formaction="/actions/{queue[0]["id"]}/approve?version=1"' in first
    assert re.search(r"It is rejected by itself at <time datetime=.*</time>, unless", first)
    assert "<title>(3) Approvals · Undo Desk</title>" in page.html


def test_every_rule_that_sent_it_here_is_named(world: World) -> None:
    world.policy("refund", mode="window", approval_above="1000:INR", flagged="approval")
    made = world.returns.draft()
    row = rows(get(world.ana, HERE))[made["id"]]
    assert 'Waits because <span class="mark">amount above ₹10.00</span>' in row


def test_the_bar_counts_what_waits_on_every_page(
    world: World, queue: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    for path in ("/", HERE, f"/actions/{queue[0]['id']}", "/reports"):
        assert "Approvals<span data-waiting>3</span></a>" in world.ana.client.get(path).text
    monkeypatch.setattr(approvals, "COUNTED", 3)
    assert "<span data-waiting>2+</span>" in get(world.ana, "/").html
    decide(world.ana, "reject", pick(*queue), "no")
    assert "<span data-waiting></span>" in get(world.ana, "/").html


def test_an_empty_queue_says_what_to_do(world: World) -> None:
    page = get(world.ana, HERE)
    assert page.code == 200
    assert "Nothing waits for approval" in page.text
    assert "set by your admins" in page.text
    assert 'href="/settings/"' in get(world.ida, HERE).html.partition("<main")[2]


def test_one_is_approved_and_one_rejected_by_their_own_buttons(
    world: World, queue: list[dict[str, Any]]
) -> None:
    """Without scripts: the row's form post leads back to the queue."""
    back = {"Referer": f"http://localhost{HERE}"}
    for number, verb, fields in ((0, "approve", {}), (1, "reject", {"note": "no receipt"})):
        path = f"/actions/{queue[number]['id']}/{verb}?version=1"
        sent = {**fields, "csrf_token": world.ana.csrf}
        answer = world.ana.client.post(path, data=sent, headers=back)
        assert (answer.status_code, answer.headers["Location"]) == (303, HERE)
    assert states(world, *queue) == ["scheduled", "rejected", "awaiting_approval"]
    assert world.look(queue[0]["id"])["window_seconds"] == 10, "it can still be undone"
    page = get(world.ana, HERE)
    assert list(rows(page)) == [queue[2]["id"]]
    assert "Approved. It runs in 11 s." in page.text


def test_several_are_approved_at_once(world: World, queue: list[dict[str, Any]]) -> None:
    answer = decide(world.ana, "approve", pick(*queue[:2]))
    assert answer.status_code == 200
    assert states(world, *queue) == ["scheduled", "scheduled", "awaiting_approval"]
    assert answer.text.count("Approved. It runs in 11 s.") == 2
    assert ticked(answer.text) == []


def test_what_was_refused_says_why_and_stays_selected(
    world: World, queue: list[dict[str, Any]]
) -> None:
    """A stale version, one that somebody decided on, an unknown one; the others are done."""
    done = queue[1]
    press(world.ida, done, "reject", note="mine")
    picks = [*pick(queue[0], done), f"{queue[2]['id']}:7", f"{'0' * 36}:1"]
    answer = decide(world.ana, "reject", picks, "no receipt")
    assert states(world, *queue) == ["rejected", "rejected", "awaiting_approval"]
    assert world.look(done["id"])["decision"]
    text = " ".join(re.sub(r"<[^>]+>", " ", answer.text).split())
    assert "Rejected. Nothing happened." in text
    assert "cannot be rejected: it is rejected, by staff:ida@example.com" in text
    assert "There is no action 0000" in text
    assert ticked(answer.text) == [queue[2]["id"]]
    assert '<p class="answer">It changed since you saw it' in answer.text
    assert 'name="reason"' in answer.text
    assert 'value="no receipt"' in answer.text


def test_a_script_is_told_of_each_row(world: World, queue: list[dict[str, Any]]) -> None:
    picks = [*pick(queue[0]), f"{queue[1]['id']}:7"]
    told = decide(world.ana, "approve", picks, script=True).get_json()
    assert told["message"] == "1 approved, 1 not: the rows say why."
    assert [(one["outcome"], one["good"]) for one in told["results"]] == [
        ("approved", True),
        ("changed", False),
    ]
    [row] = told["rows"]
    assert f'data-action="{queue[0]["id"]}" data-state="scheduled"' in row
    assert 'data-do="cancel"' in row


@pytest.mark.parametrize(
    ("verb", "count", "reason", "said"),
    [
        ("reject", 2, " ", "Say why they are rejected"),
        ("reject", 0, "no", "Select at least one first."),
        ("approve", 0, "", "Select at least one first."),
    ],
)
@pytest.mark.parametrize("script", [True, False])
def test_what_is_missing_is_asked_for_and_nothing_is_done(
    world: World,
    queue: list[dict[str, Any]],
    verb: str,
    count: int,
    reason: str,
    said: str,
    script: bool,
) -> None:
    before = world.everything()
    answer = decide(world.ana, verb, pick(*queue[:count]), reason, script=script)
    assert said in answer.text
    assert world.everything() == before
    if not script:
        assert answer.status_code == 400
        assert ticked(answer.text) == [one["id"] for one in queue[:count]]


@pytest.mark.parametrize(
    ("verb", "picks"),
    [
        ("cancel", ["x"]),
        ("", []),
        ("approve", ["x"]),
        ("approve", ["0195aaaa-0000-7000-8000-000000000000"]),
        ("approve", ["0195aaaa-0000-7000-8000-000000000000:-1"]),
        ("approve", [f"{number:036d}:1" for number in range(approvals.ROWS + 1)]),
    ],
)
def test_nonsense_is_a_400(world: World, verb: str, picks: list[str]) -> None:
    assert decide(world.ana, verb, picks, "no").status_code == 400


def test_it_needs_the_token_and_a_person(world: World, queue: list[dict[str, Any]]) -> None:
    fields = {"do": "approve", "pick": pick(*queue)}
    assert world.ana.client.post(HERE, data=fields).status_code == 403
    nobody = world.app.test_client()
    assert nobody.get(HERE).status_code == 303
    assert states(world, *queue) == ["awaiting_approval"] * 3


def test_hostile_texts_are_inert_and_a_text_that_goes_out_is_shown_in_full(world: World) -> None:
    world.policy("reply", mode="approval")
    payload = {
        "to": "a@example.com",
        "subject": "<b>Hi</b>",
        "body": f"{HOSTILE}\n" + "long " * 400,
    }
    made = world.returns.draft(
        "reply",
        payload=payload,
        reason=HOSTILE,
        summary=HOSTILE,
        customer={"ref": "c", "name": HOSTILE},
    )
    row = rows(get(world.ana, HERE))[made["id"]]
    assert "<script>" not in row
    assert "\u202e" not in row
    assert "long " * 400 in row
    assert "&lt;b&gt;Hi&lt;/b&gt;" in row


def test_a_label_is_told_in_plain_words(world: World) -> None:
    world.policy("label", mode="approval")
    made = world.returns.draft("label")["id"]
    row = rows(get(world.ana, HERE))[made]
    assert "<dt>from</dt><dd>Asha Rao, 1 MG Road, Bengaluru, 560001, IN</dd>" in row
    assert "<dt>parcel weight</dt><dd>500 g</dd>" in row


def test_a_long_queue_is_cut_and_says_so(
    world: World, queue: list[dict[str, Any]], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert "data-beyond hidden" in get(world.ana, HERE).html
    monkeypatch.setattr(approvals, "ROWS", 2)
    page = get(world.ana, HERE)
    assert list(rows(page)) == [one["id"] for one in queue[:2]]
    assert "These are the 2 that wait longest." in page.text
    assert "data-beyond hidden" not in page.html


def test_what_nobody_decided_on_says_so_on_its_row_and_page(
    world: World, queue: list[dict[str, Any]]
) -> None:
    over = world.desk.now() - 1
    past = update(table).values(drafted_at=over - 86_400 * SECOND, approve_by=over)
    world.db.transact(lambda tx: tx.conn.execute(past))
    assert len(approvals.expire_approvals(world.desk)) == 3
    page = get(world.ana, f"/actions/{queue[0]['id']}")
    assert "Rejected by itself: “nobody decided within 24 h” ." in page.text
    assert "rejected by itself “nobody decided within 24 h”" in page.text
