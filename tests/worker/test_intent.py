"""What is committed before a provider is called. Promise 4."""

from tests.worker.stage import Recorder, get, make_desk, plant, row, taken, timeline, until, working
from webapp.connectors.base import Effect, EffectRequest
from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.store.engine import Database
from webapp.store.events import Event


def test_the_intent_is_there_before_the_call(database: Database) -> None:
    """antiwork/gumroad#6193: the provider's webhook beat the local commit.

    Whoever hears of the effect, and looks it up by its key, finds the row that wanted it.
    """
    seen: list[tuple[Action, list[Event]]] = []

    def heard_at_once(request: EffectRequest) -> Effect:
        seen.append((get(database, request.action_id), timeline(database, request.action_id)))
        return taken(request)

    with working(make_desk(database), Recorder(heard_at_once)):
        (one,) = plant(database, row(database.now()))
        until(database, one, State.EXECUTED)
    ((there, happened),) = seen
    assert (there.state, there.attempt) == (State.EXECUTING, 1)
    assert there.claimed_at is not None
    assert [event.verb for event in happened] == ["claimed"]
