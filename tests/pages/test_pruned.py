"""Promise 15: what decided an action's fate is read on its page after its personal data is gone.

And gone it is: from every table, and on SQLite from the file itself.
"""

import json
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import LargeBinary, MetaData, Text, cast, inspect, select, update

from tests.api.world import WORKER, World
from tests.pages.admin import get
from tests.store.rows import row
from webapp.connectors.base import EffectFailed
from webapp.domain.states import State
from webapp.services import execute, prune, replay, settings
from webapp.services import status as links
from webapp.services.digest import digest
from webapp.services.followers import FOLLOWERS
from webapp.store import attempts, claims
from webapp.store.claims import Finish
from webapp.store.engine import Tx
from webapp.store.schema import action, desk, signal

SECRET = "zq9f3ameera"
"""Stands in every text that is personal; never shown once it is pruned. One word, in lower case, as
an index of words would have it."""
WHY = "the parcel came back"
"""What people say of their decision stays, for it is one."""
CUSTOMER = {"ref": f"c-{SECRET}", "name": f"{SECRET} K.", "email": f"{SECRET}@example.com"}


def drafted(world: World, **changes: Any) -> str:
    body = {
        "payload": {"to": f"{SECRET}@example.com", "subject": f"To {SECRET}", "body": SECRET},
        "summary": f"For {SECRET}",
        "reason": f"{SECRET} asked",
        "customer": CUSTOMER,
        "order": f"o-{SECRET}",
    }
    return str(world.returns.draft("reply", **body | changes)["id"])


def ended(world: World, action_id: str, failure: EffectFailed | None = None) -> None:
    """Claimed and finished, as a worker does it, by a connector that tells too much."""
    claim = world.claim(action_id)
    if failure is None:
        detail = {"told": f"sent to {SECRET}"}
        effect = json.dumps({"status": "settled", "provider_id": "p-1", "detail": detail})
        done = Finish(claim.id, claim.attempt, State.EXECUTED, effect, None)
    else:
        done = execute.unknown(claim, failure)._replace(state=State.FAILED)
    assert not world.db.transact(lambda tx: claims.finish(tx, WORKER, [done]))


def long_ago(world: World, *ids: str, days: int = 401) -> None:
    """They ended then, and all that was reported came then."""
    back = days * prune.DAY
    ended_then = update(action).values(finished_at=action.c.finished_at - back)
    told_then = update(signal).values(at=signal.c.at - back)

    def work(tx: Tx) -> None:
        tx.conn.execute(ended_then.where(action.c.id.in_(ids)))
        tx.conn.execute(told_then)
        # nothing ends behind the mark but by this
        tx.conn.execute(update(desk).values(pruned_until=0))

    world.db.transact(work)


def left(world: World) -> set[str]:
    """Where the secret still stands: `table.column`."""
    found = set()
    with world.db.connection() as conn:
        tables = MetaData()
        tables.reflect(conn)
        for table in tables.sorted_tables:
            for column in table.columns:
                # as bytes: an index of words has columns that are no text
                kind = LargeBinary if world.db.dialect == "sqlite" else Text
                words = conn.scalars(select(cast(column, kind)).where(column.is_not(None)))
                if any(SECRET in _text(one) for one in words):
                    found.add(f"{table.name}.{column.name}")
        assert len(inspect(conn).get_table_names()) == len(tables.sorted_tables)
    return found


def _text(value: Any) -> str:
    return value.decode("latin-1") if isinstance(value, bytes) else str(value)


@pytest.fixture
def story(world: World) -> dict[str, str]:
    """Actions that ended in each way, by how, with all that may hang on one."""
    ids = {"executed": drafted(world), "failed": drafted(world), "cancelled": drafted(world)}
    ended(world, ids["executed"])
    late = Finish(
        ids["executed"], 1, State.FAILED, json.dumps({"provider_id": "p-2", "detail": SECRET}),
        json.dumps({"message": SECRET}),
    )  # fmt: skip
    world.db.transact(lambda tx: attempts.note(tx, late, "worker:gone"))
    refusal = f"550 5.1.1 <{SECRET}@example.com>: no such {SECRET} user"
    ended(
        world,
        ids["failed"],
        EffectFailed(refusal, permanent=True, may_have_happened=False, detail={"said": SECRET}),
    )
    world.ana.post(f"/actions/{ids['cancelled']}/cancellation", {"reason": WHY})
    ids["joined"] = drafted(world, merge_key=f"m-{SECRET}")
    assert drafted_into(world) == ids["joined"]
    told = {"type": "customer_replied", "customer": CUSTOMER["ref"], "order": f"o-{SECRET}"}
    assert world.returns.post("/signals", told | {"note": WHY}).status_code == 200
    world.ana.post(f"/actions/{ids['joined']}/cancellation", {})
    while not digest(world.desk, FOLLOWERS):
        continue
    return ids


def drafted_into(world: World) -> str:
    body = {
        "kind": "reply",
        "summary": f"Also for {SECRET}",
        "payload": {"to": f"{SECRET}@example.com", "subject": SECRET, "body": f"More, {SECRET}"},
        "customer": CUSTOMER,
        "order": f"o2-{SECRET}",
        "merge_key": f"m-{SECRET}",
    }
    answer = world.returns.post("/actions", body)
    assert answer.status_code == 200
    return str(answer.get_json()["id"])


def test_nothing_personal_is_left_and_what_decided_is(world: World, story: dict[str, str]) -> None:
    young = world.returns.draft("refund")["id"]
    world.ana.post(f"/actions/{young}/cancellation", {})
    assert prune.prune(world.desk) == 0  # nothing is that old
    assert {"action.payload", "part.payload", "attempt_log.error", "signal.customer_ref"} <= left(
        world
    )
    events = {one: _events(world, one) for one in story.values()}
    long_ago(world, *story.values())
    assert prune.prune(world.desk) == len(story)
    assert left(world) == set()
    assert row(world.db, young).payload != "{}"
    assert {one: _events(world, one) for one in story.values()} == events

    for how, action_id in story.items():
        page = get(world.ana, f"/actions/{action_id}")
        assert page.code == 200, how
        assert "Its payload, its texts and whom it was for were removed on" in page.text
        assert "drafted by returns" in page.text
        assert SECRET not in page.html
        found = world.look(action_id)
        assert (found["payload"], found["summary"], found["order"]) == ({}, "", None)
        assert found["customer"] == {"ref": ""}
        assert found["pruned_at"] is not None
        assert found["decision"]["because"]
        assert 'data-do="' not in page.html
    words = get(world.ana, f"/actions/{story['cancelled']}").text
    assert "cancelled by Ana" in words
    assert WHY in words
    words = get(world.ana, f"/actions/{story['failed']}").text
    assert "failed, without an effect" in words
    assert "550 5.1.1 <…>: no such … user" in words.replace("&lt;", "<").replace("&gt;", ">")
    assert "p-1" in get(world.ana, f"/actions/{story['executed']}").text
    assert "p-2" in get(world.ana, f"/actions/{story['executed']}").text


def test_what_needs_the_payload_is_refused(world: World, story: dict[str, str]) -> None:
    """Said plainly; the customer's link leads nowhere; lists and the feed cope."""
    long_ago(world, *story.values())
    prune.prune(world.desk)
    for how, verb, asked in (
        ("cancelled", "again", {}),
        ("executed", "compensation", {"name": "correction", "note": "sorry"}),
    ):
        answer = world.ana.post(f"/actions/{story[how]}/{verb}", asked)
        assert answer.status_code == 409
        assert answer.get_json()["code"] == "wrong_state"
        assert "payload was removed" in answer.get_json()["detail"]
    too_late = world.ana.post(f"/actions/{story['executed']}/cancellation", {}).get_json()
    assert (too_late["result"], too_late["next_steps"]) == ("too_late", [])
    token = links.token(world.settings, story["executed"])
    assert get(world.ana, f"/s/{token}").code == 404
    assert get(world.ana, "/").code == 200
    assert len(world.ana.get("/actions").get_json()["items"]) == len(story)
    policy = settings.tried(world.desk, "reply", {"approval_above": "none"})
    *_, last = replay.replay(world.desk, "reply", policy)
    assert last.of == 0


def test_a_draft_sent_again_is_still_the_first(world: World) -> None:
    """Keys are kept as long as the row: the agent's retry makes nothing new."""
    body = {"kind": "refund", "summary": SECRET, "customer": CUSTOMER}
    body["payload"] = {"payment": "p", "amount": {"value": 1, "currency": "INR"}, "reason": ""}
    first = world.returns.post("/actions", body, key="k-1").get_json()["id"]
    world.ana.post(f"/actions/{first}/cancellation", {})
    long_ago(world, first)
    prune.prune(world.desk)
    again = world.returns.post("/actions", body, key="k-1")
    assert (again.status_code, again.get_json()["id"]) == (200, first)


def test_it_goes_in_pieces_and_only_what_has_ended(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The mark stands behind what is done; who joins in at once does nothing twice."""
    monkeypatch.setattr(prune, "PIECE", 2)
    ids = [drafted(world) for _ in range(5)]
    for one in ids:
        world.ana.post(f"/actions/{one}/cancellation", {})
    waiting = drafted(world)
    long_ago(world, *ids)
    assert prune.prune(world.desk, seconds=0) == 2
    between = prune.retention(world.desk)
    assert between.reach.waits is not None
    assert between.behind > 0
    assert prune.prune(world.desk) == 3
    done = prune.retention(world.desk)
    assert done.reach.waits is None
    assert between.reach.until < done.reach.until <= done.before
    assert row(world.db, waiting).pruned_at is None
    assert row(world.db, waiting).payload != "{}"
    assert prune.prune(world.desk) == 0
    told: list[str] = []
    monkeypatch.setattr(prune, "FORGETTING", (lambda _tx, found: told.extend(found),))
    world.ana.post(f"/actions/{waiting}/cancellation", {})
    long_ago(world, waiting)
    assert prune.prune(world.desk) == 1
    assert told == [waiting]


def test_the_file_itself_has_nothing_left(world: World, story: dict[str, str]) -> None:
    """SQLite: emptied pages are overwritten. PostgreSQL's own vacuum does that in its time."""
    if world.db.dialect != "sqlite":
        pytest.skip("the server's files are its own")
    long_ago(world, *story.values())
    prune.prune(world.desk)
    with world.db.read() as tx:
        tx.run("PRAGMA wal_checkpoint(TRUNCATE)").fetchall()
    assert world.db.url.database is not None
    file = Path(world.db.url.database)
    for one in file.parent.glob(f"{file.name}*"):
        assert SECRET.encode() not in one.read_bytes(), one.name


def _events(world: World, action_id: str) -> list[Any]:
    answer = world.ana.get("/events?limit=500").get_json()["events"]
    return [event for event in answer if event["action"] == action_id]
