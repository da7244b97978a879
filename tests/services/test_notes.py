"""Free texts of people: as long as the API takes them, whichever way they come in."""

from collections.abc import Callable

import pytest

from tests.services.people import ANA, drafted, executed, finished, policy, state
from tests.store.rows import put
from webapp.domain.errors import Invalid
from webapp.domain.states import State
from webapp.domain.text import NOTE_AT_MOST
from webapp.services import clock, customers, decide, pause, resolve
from webapp.services.again import again
from webapp.services.cancel import cancel
from webapp.services.compensate import compensate
from webapp.services.desk import Desk

TOO_LONG = "x" * (NOTE_AT_MOST + 1)
WAITS = State.AWAITING_APPROVAL


def _put(desk: Desk, begins: State) -> str:
    if begins is WAITS:
        policy(desk, mode="approval")
        return drafted(desk).id
    if begins is State.EXECUTED:
        return executed(desk).id
    if begins is State.FAILED:
        made = drafted(desk).id
        finished(desk, made, State.FAILED)
        return made
    return put(desk.db, begins.value)


VERBS: dict[str, tuple[State, Callable[[Desk, str, str], object], str]] = {
    "cancel": (State.SCHEDULED, lambda d, one, text: cancel(d, one, ANA, reason=text), "/reason"),
    "approve": (WAITS, lambda d, one, text: decide.approve(d, one, ANA, reason=text), "/reason"),
    "reject": (WAITS, lambda d, one, text: decide.reject(d, one, ANA, reason=text), "/reason"),
    "hold": (State.SCHEDULED, lambda d, one, text: clock.hold(d, one, ANA, reason=text), "/reason"),
    "again": (State.FAILED, lambda d, one, text: again(d, one, ANA, reason=text), "/reason"),
    "compensate": (
        State.EXECUTED,
        lambda d, one, text: compensate(d, one, ANA, name="reversal", note=text),
        "/note",
    ),
    "resolve": (
        State.UNKNOWN,
        lambda d, one, text: resolve.resolve(d, one, ANA, outcome="happened", note=text),
        "/note",
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_a_verb_takes_no_longer_text_than_the_api(desk: Desk, verb: str) -> None:
    """A page's `maxlength` binds only who uses the page."""
    begins, call, pointer = VERBS[verb]
    one = _put(desk, begins)
    with pytest.raises(Invalid) as refused:
        call(desk, one, TOO_LONG)
    assert [error.pointer for error in refused.value.errors] == [pointer]
    assert "at most 5000 characters" in refused.value.detail
    assert state(desk, one) == begins
    call(desk, one, TOO_LONG[1:])


def test_nor_do_a_pause_and_a_flag(desk: Desk) -> None:
    """Both stand on every page that tells of them."""
    with pytest.raises(Invalid, match="/reason: must have at most 5000"):
        pause.pause(desk, ANA, reason=TOO_LONG)
    with pytest.raises(Invalid, match="/reason: must have at most 5000"):
        customers.flag(desk, "c-1", TOO_LONG, ANA.actor)
    assert pause.standing(desk) == []
    assert customers.flags(desk) == []
