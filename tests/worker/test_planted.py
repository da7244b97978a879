"""A test that can't fail proves nothing: these run a worker's tests with their bugs in place.

Put-back databases, later look-ups and late results; `tests/store/test_planted.py` has the store's.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import select, update

from tests.store.planted import (
    ASKED_UNDER_A_PAUSE,
    ASKED_WITHOUT_A_REST,
    LATE_RESULTS_FORGOTTEN,
    PUT_BACK_BUT_EXECUTING,
    SETTLED_OVER_A_REVERSAL,
    Bug,
    planted,
)
from tests.worker import test_late, test_put_back, test_settle
from webapp.connectors.base import Effect, EffectFailed
from webapp.domain.states import State
from webapp.services import put_back, settle
from webapp.services.desk import Desk
from webapp.services.execute import look_up
from webapp.services.late import reconcile
from webapp.store import lineage
from webapp.store.asker import Asker
from webapp.store.claims import Finish
from webapp.store.engine import Database, Tx
from webapp.store.lineage import Newest
from webapp.store.schema import action, event
from webapp.store.transitions import resolve_did_not_happen

Check = Callable[[Database, Path], None]

IN_SQL: dict[str, tuple[Bug, Check]] = {
    "put back, and what ran is believed to run": (
        PUT_BACK_BUT_EXECUTING,
        test_put_back.test_put_back_it_starts_paused_and_what_ran_is_unknown,
    ),
    "asked under a pause": (
        ASKED_UNDER_A_PAUSE,
        lambda db, _: test_settle.test_under_a_pause_nobody_is_asked(db),
    ),
    "asked again at once": (
        ASKED_WITHOUT_A_REST,
        lambda db, _: test_settle.test_a_provider_that_cannot_say_is_asked_again_later_and_later(
            db
        ),
    ),
    "settled over what changed since": (
        SETTLED_OVER_A_REVERSAL,
        lambda db, _: test_settle.test_what_was_taken_back_meanwhile_stays_so(db),
    ),
    "late results forgotten": (
        LATE_RESULTS_FORGOTTEN,
        lambda db, _: (
            test_late.test_on_any_other_row_it_changes_nothing_and_a_contradiction_is_shown(
                db, State.FAILED
            )
        ),
    ),
}


def _known_by_its_number(tx: Tx, marked: Newest) -> bool:
    found = select(event.c.id).where(event.c.id == marked.event)
    return tx.conn.scalar(found) is not None


def _every_new_host_is_a_restore(*_: Any) -> bool:
    return True


def _held_nothing(_desk: Desk) -> int:
    return 0


def _silence_is_absence(*asked: Any) -> Effect | None:
    try:
        return look_up(*asked)
    except EffectFailed:
        return None


def _applied(desk: Desk, late: Finish, _worker: str) -> None:
    values = update(action).where(action.c.id == late.id).values(effect=late.effect)
    desk.db.transact(lambda tx: tx.conn.execute(values))


def _believed(desk: Desk, late: Finish, worker: str) -> str | None:
    told = reconcile(desk, late, worker)
    asker = Asker(worker, "attempt 1 says that it had no effect")
    desk.db.transact(lambda tx: resolve_did_not_happen(tx, late.id, asker))
    return told


IN_PYTHON: dict[str, tuple[Any, str, Any, Check]] = {
    "an event known by its number alone": (
        lineage,
        "knows",
        _known_by_its_number,
        test_put_back.test_an_event_that_only_has_the_same_number_is_not_the_same,
    ),
    "every new host is a restore": (
        put_back,
        "_lost",
        _every_new_host_is_a_restore,
        test_put_back.test_a_new_worker_host_has_no_mark_and_finds_nothing,
    ),
    "put back, and the long overdue is left to the resume": (
        put_back,
        "hold_overdue",
        _held_nothing,
        test_put_back.test_what_is_long_overdue_in_it_is_held_also_after_the_resume,
    ),
    "a provider's silence taken for an absence": (
        settle,
        "look_up",
        _silence_is_absence,
        lambda db, _: test_settle.test_a_provider_that_cannot_say_is_asked_again_later_and_later(
            db
        ),
    ),
    "a late result applied": (
        test_late,
        "reconcile",
        _applied,
        lambda db, _: (
            test_late.test_on_any_other_row_it_changes_nothing_and_a_contradiction_is_shown(
                db, State.FAILED
            )
        ),
    ),
    "one attempt's word for all of them": (
        test_late,
        "reconcile",
        _believed,
        lambda db, _: test_late.test_that_one_attempt_had_no_effect_settles_nothing(
            db, State.FAILED
        ),
    ),
}


@pytest.mark.parametrize("name", IN_SQL)
def test_the_bug_in_a_statement_is_found(database: Database, tmp_path: Path, name: str) -> None:
    """Promises 5, 6 and 14: the statements' guards are what holds."""
    bug, check = IN_SQL[name]
    with pytest.raises(AssertionError), planted(database, bug):
        check(database, tmp_path)


@pytest.mark.parametrize("name", IN_PYTHON)
def test_the_bug_in_a_rule_is_found(
    database: Database, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    """Promises 5, 6 and 14: and so are the rules around them."""
    where, what, bug, check = IN_PYTHON[name]
    monkeypatch.setattr(where, what, bug)
    with pytest.raises(AssertionError):
        check(database, tmp_path)
