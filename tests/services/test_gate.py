"""Promise 12: what a kind needs before it runs by itself, and the one refusal without it."""

from dataclasses import replace
from pathlib import Path

import pytest

from tests.fixtures.desk import free_port
from webapp.config import Settings
from webapp.domain.errors import Changed, Invalid
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode
from webapp.services import gate, settings
from webapp.services.desk import Desk
from webapp.services.settings import change
from webapp.store.engine import Database

BY = "staff:admin@example.com"
OPEN = ("window", "immediate")


@pytest.fixture
def no_way_back(monkeypatch: pytest.MonkeyPatch) -> None:
    """Refunds as they would be before somebody wrote their reversal."""
    monkeypatch.setitem(KINDS, "refund", replace(KINDS["refund"], way_back=None))


@pytest.fixture
def no_mail(database: Database) -> Desk:
    """A desk whose mail server nobody answers for."""
    url = f"smtp://127.0.0.1:{free_port()}"
    values = {"reply_connector": "smtp", "smtp_url": url, "mail_from": "desk@example.com"}
    return Desk(database, Settings.model_validate(values))


def refusal(desk: Desk, kind: str, **values: str) -> str:
    """The words at the mode; nothing has changed."""
    before = settings.show(desk)
    with pytest.raises(Invalid) as refused:
        change(desk, kind, values, BY)
    assert settings.show(desk) == before
    assert [error.pointer for error in refused.value.errors] == ["/mode"]
    return refused.value.errors[0].detail


@pytest.mark.usefixtures("no_way_back")
@pytest.mark.parametrize("mode", OPEN)
def test_no_kind_runs_by_itself_before_its_way_back_exists(desk: Desk, mode: str) -> None:
    """And `allow_no_undo` is about single webhooks, no way around it."""
    change(desk, "refund", {"mode": "approval"}, BY)
    words = refusal(desk, "refund", mode=mode)
    missing = "its way back: there is none, so nothing could take it back"
    assert words == f"{mode} is not possible yet: {missing}"
    assert refusal(desk, "refund", mode=mode, allow_no_undo="yes") == words
    change(desk, "refund", {"mode": "off"}, BY)


def test_a_way_back_that_nobody_makes_is_none(desk: Desk, monkeypatch: pytest.MonkeyPatch) -> None:
    """Its kind must be there too."""
    back = KINDS["refund"].way_back
    assert back is not None
    lost = replace(KINDS["refund"], way_back=replace(back, kind="refund.nothing"))
    monkeypatch.setitem(KINDS, "refund", lost)
    change(desk, "refund", {"mode": "approval"}, BY)
    assert "there is none" in refusal(desk, "refund", mode="window")


@pytest.mark.parametrize("mode", OPEN)
def test_no_kind_runs_by_itself_before_its_connector_checks_out(no_mail: Desk, mode: str) -> None:
    """Said once, though the way back goes through the same connector."""
    words = refusal(no_mail, "reply", mode=mode)
    assert words.startswith(f"{mode} is not possible yet: its connector: mail server 127.0.0.1:")
    assert words.count("mail server") == 1
    change(no_mail, "reply", {"mode": "off"}, BY)
    change(no_mail, "refund", {"mode": mode}, BY)


def test_what_runs_by_itself_already_stays_changeable(no_mail: Desk) -> None:
    """A server that is down for a minute must not keep an admin from a longer window."""
    change(no_mail, "reply.correction", {"window_seconds": "60"}, BY)
    assert no_mail.policy("reply.correction").mode is Mode.WINDOW
    change(no_mail, "reply.correction", {"mode": "approval"}, BY)
    assert "mail server" in refusal(no_mail, "reply.correction", mode="window")


def test_a_connector_that_cannot_be_made_is_a_step_too(database: Database) -> None:
    """Never a traceback for an operator's mistake."""
    desk = Desk(database, Settings.model_construct(**{**dict(Settings()), "sandbox_faults": "?"}))
    assert "UNDO_DESK_SANDBOX_FAULTS" in refusal(desk, "refund", mode="window")


def test_the_sandbox_always_passes(database: Database, tmp_path: Path) -> None:
    """Issue 4, 7; and asking makes no file."""
    file = tmp_path / "nowhere" / "sandbox.db"
    desk = Desk(database, Settings(sandbox_path=str(file)))
    for kind in ("refund", "label", "exchange"):
        assert gate.missing(gate.steps(desk, kind)) == []
        change(desk, kind, {"mode": "window"}, BY)
    assert not file.parent.exists()


@pytest.mark.parametrize("kind", [name for name, kind in KINDS.items() if kind.repairs])
def test_a_way_back_needs_none_of_its_own(desk: Desk, kind: str) -> None:
    """CONTRACT, Kinds."""
    change(desk, kind, {"mode": "approval"}, BY)
    change(desk, kind, {"mode": "window"}, BY)


def test_who_went_to_approval_at_this_moment_is_not_overruled_unchecked(
    desk: Desk, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The connector is asked before the transaction: what it finds there may ask for more."""
    asked = settings._missing

    def meanwhile(*args: object) -> list[str] | None:
        found = asked(*args)  # type: ignore[arg-type]
        monkeypatch.setattr(settings, "_missing", asked)
        change(desk, "refund", {"mode": "approval"}, "staff:ben@example.com")
        return found

    monkeypatch.setattr(settings, "_missing", meanwhile)
    with pytest.raises(Changed):
        change(desk, "refund", {"mode": "window"}, BY)
    assert desk.policy("refund").mode is Mode.APPROVAL
