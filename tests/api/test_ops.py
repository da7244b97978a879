"""Alive, ready, figures; headers on every answer; what happens when the database is away."""

import re
from collections.abc import Iterator

import pytest

from tests.api.world import World, draft
from webapp.config import Settings
from webapp.domain import errors
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services import cancel as cancelling
from webapp.services import health
from webapp.services.desk import Desk
from webapp.store import heartbeats
from webapp.store.engine import Database
from webapp.web.api import cancellation


def test_alive_without_a_database(still: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(Database, "read", _away)
    assert still.returns.client.get("/healthz").status_code == 200
    ready = still.returns.client.get("/readyz")
    assert ready.status_code == 503


def test_ready_names_what_is_wrong(world: World) -> None:
    client = world.returns.client
    none = client.get("/readyz")
    assert (none.status_code, list(none.json["problems"])) == (503, ["worker"])
    world.db.transact(lambda tx: heartbeats.beat(tx, "worker:test", 4))
    fine = client.get("/readyz")
    assert (fine.status_code, fine.json["status"]) == (200, "ready")
    assert fine.json["worker_age_seconds"] < 15


def test_health_is_the_age_of_the_oldest_overdue_row(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    """rails/solid_queue#751: health was green while due jobs piled up."""
    world.db.transact(lambda tx: heartbeats.beat(tx, "worker:test", 4))
    action = world.returns.draft()["id"]
    world.ana.post(f"/actions/{action}/run-now")
    monkeypatch.setattr(health, "OVERDUE_AT_MOST", 0)
    found = world.returns.client.get("/readyz")
    assert found.status_code == 503
    assert "overdue" in found.json["problems"]


def test_a_worker_that_fell_silent_is_named(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    world.db.transact(lambda tx: heartbeats.beat(tx, "worker:test", 4))
    monkeypatch.setattr(health, "WORKER_AGE_AT_MOST", -SECOND)
    assert "worker" in world.returns.client.get("/readyz").json["problems"]


def test_a_database_of_another_version_is_named(empty_database_url: str) -> None:
    store = Database(empty_database_url)
    found = health.health(Desk(store, Settings(secret_key="s" * 32)))
    store.close()
    assert "undo-desk migrate" in found.problems["migrations"]


def test_figures(world: World) -> None:
    world.returns.draft()
    world.put(State.HELD)
    world.put(State.FAILED)
    text = world.returns.client.get("/metrics").text
    assert 'undo_desk_actions_open{kind="refund",state="scheduled"} 1.0' in text
    assert 'undo_desk_actions_open{kind="refund",state="held"} 1.0' in text
    assert 'undo_desk_actions_finished_lately{kind="refund",state="failed"} 1.0' in text
    assert "undo_desk_ready 0.0" in text
    assert re.search(r"^undo_desk_claim_lateness_seconds [0-9.e-]+$", text, re.MULTILINE)


def _away(*_: object) -> Iterator[None]:
    raise errors.Unavailable("The database cannot commit now.")


@pytest.mark.parametrize("who", ["returns", "ana"])
def test_no_database_is_said_at_once(
    still: World, who: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Promise 11: 503, nothing lost, repeat with the same key."""
    action = still.returns.draft()["id"]
    with monkeypatch.context() as patch:
        patch.setattr(Database, "transact", _away)
        answer = getattr(still, who).post(f"/actions/{action}/cancellation", key="c-1")
    assert (answer.status_code, answer.json["code"]) == (503, "unavailable")
    assert answer.mimetype == "application/problem+json"
    assert answer.headers["Retry-After"]
    after = getattr(still, who).post(f"/actions/{action}/cancellation", key="c-1")
    assert after.json["result"] == "cancelled"


def test_no_database_at_the_door(still: World, monkeypatch: pytest.MonkeyPatch) -> None:
    with monkeypatch.context() as patch:
        patch.setattr(Database, "read", _away)
        assert still.returns.post("/actions", draft()).status_code == 503
        page = still.ana.client.get("/")
    assert page.status_code == 503
    assert page.headers["Retry-After"]


def test_a_fault_of_ours_says_nothing_of_the_inside(
    still: World, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def broken(*_: object, **__: object) -> cancelling.Outcome:
        raise KeyError("secret detail")

    monkeypatch.setattr(cancellation, "cancel", broken)
    action = still.returns.draft()["id"]
    answer = still.returns.post(f"/actions/{action}/cancellation")
    assert (answer.status_code, answer.json["code"]) == (500, "internal")
    assert "secret" not in answer.text
    assert "secret detail" in caplog.text


@pytest.mark.parametrize("path", ["/api/v1/actions", "/", "/login", "/healthz", "/nope", "/api/x"])
def test_headers_on_every_answer(still: World, path: str) -> None:
    headers = still.ana.client.get(path).headers
    policy = headers["Content-Security-Policy"]
    for part in ("default-src 'none'", "base-uri 'none'", "frame-ancestors 'none'"):
        assert part in policy
    assert "unsafe" not in policy
    assert headers["X-Content-Type-Options"] == "nosniff"
    assert headers["Referrer-Policy"] == "same-origin"
    assert headers["X-Frame-Options"] == "DENY"
    assert headers["Cache-Control"] == "no-store"
    assert "Strict-Transport-Security" not in headers


def test_https_is_asked_for_again(still: World) -> None:
    answer = still.ana.client.get("/login", base_url="https://localhost")
    assert answer.headers["Strict-Transport-Security"]


def test_the_nonce_is_new_each_time(still: World) -> None:
    policies = {still.ana.client.get("/api/docs").headers["Content-Security-Policy"] for _ in "ab"}
    assert len(policies) == 2


@pytest.mark.parametrize(
    "path", ["/", "/settings/", f"/actions/{'0' * 8}-0000-7000-8000-{'0' * 12}"]
)
def test_a_page_asks_nobody_in_but_to_sign_in(still: World, path: str) -> None:
    answer = still.app.test_client().get(path)
    assert answer.status_code == 303
    assert answer.headers["Location"].startswith("/login")
    assert "no-store" in answer.headers["Cache-Control"]


def test_errors_are_pages_for_people_and_problems_for_programs(still: World) -> None:
    page = still.ana.client.get("/nope")
    assert (page.status_code, page.mimetype) == (404, "text/html")
    problem = still.ana.client.get("/api/nope")
    assert (problem.status_code, problem.mimetype) == (404, "application/problem+json")
    assert problem.json["code"] == "not_found"
    staff_only = still.ana.client.get("/settings/")
    assert (staff_only.status_code, staff_only.mimetype) == (403, "text/html")


@pytest.mark.parametrize(("method", "status"), [("GET", 404), ("POST", 405)])
def test_who_is_signed_in_keeps_the_bar_where_no_route_is(
    still: World, method: str, status: int
) -> None:
    """In our words, without a code; nobody else learns more than that, customers neither."""
    path = "/nope" if method == "GET" else "/history"
    bar, admins = 'aria-label="Pages"', 'href="/settings/"'
    answers = {
        name: client.open(path, method=method)
        for name, client in (
            ("staff", still.ana.client),
            ("admin", still.ida.client),
            ("nobody", still.app.test_client()),
        )
    }
    assert {answer.status_code for answer in answers.values()} == {status}
    pages = {name: answer.text for name, answer in answers.items()}
    assert [bar in page for page in pages.values()] == [True, True, False]
    assert [admins in page for page in pages.values()] == [False, True, False]
    for page in pages.values():
        assert "URL" not in page
        assert f"{status}" not in page.partition("<main")[2]
    assert bar not in still.ana.client.post("/s/nothing").text
    stranger = still.app.test_client()
    stranger.set_cookie("ud_session", "unknown")
    assert bar not in stranger.open(path, method=method).text
