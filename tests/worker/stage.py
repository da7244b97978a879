"""What the worker's tests stand on: rows due when the test says, and connectors that obey it."""

import threading
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, insert, select

from tests.fixtures.desk import wait_until
from webapp.config import Settings
from webapp.connectors.base import SETTLED, Connector, Effect, EffectRequest
from webapp.domain.action import Action
from webapp.domain.drafts import canonical, fingerprint
from webapp.domain.ids import new_id
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.domain.times import SECOND
from webapp.services.desk import Desk
from webapp.store import actions, events
from webapp.store.engine import Database, host_clock
from webapp.store.events import Event
from webapp.store.schema import action, dependency
from webapp.worker import Worker

AGENT = "returns-agent"
PAYLOAD = {"payment": "pay_1", "amount": {"value": 1250, "currency": "INR"}, "reason": ""}


def taken(request: EffectRequest) -> Effect:
    """The provider took it."""
    return Effect(SETTLED, f"p_{request.key}", {})


@dataclass
class Recorder:
    """A connector that notes each call and answers as `answer` says."""

    answer: Callable[[EffectRequest], Effect] = taken
    known: Callable[[EffectRequest], Effect | None] = lambda _: None
    name: str = "recorder"
    dedupes: bool = False
    can_look_up: bool = False
    sent: list[tuple[EffectRequest, int]] = field(default_factory=list)
    """Each request with the host's clock at the call, UTC microseconds."""
    asked: list[EffectRequest] = field(default_factory=list)

    def send(self, request: EffectRequest) -> Effect:
        self.sent.append((request, host_clock()))
        return self.answer(request)

    def look_up(self, request: EffectRequest) -> Effect | None:
        self.asked.append(request)
        return self.known(request)

    def check(self) -> str | None:
        return None

    @property
    def ids(self) -> list[str]:
        """The actions in the order of their calls."""
        return [request.action_id for request, _ in self.sent]


class Gate:
    """An answer that waits until the test opens it."""

    def __init__(self) -> None:
        self.entered = threading.Semaphore(0)
        self._open = threading.Event()

    def __call__(self, request: EffectRequest) -> Effect:
        self.entered.release()
        assert self._open.wait(30)
        return taken(request)

    def open(self) -> None:
        self._open.set()


def serving(connector: Connector) -> Mapping[str, Connector]:
    """`connector` for every kind."""
    return dict.fromkeys(KINDS, connector)


def make_desk(db: Database, **settings: Any) -> Desk:
    """A desk on `db` whose sweep and leases are quick."""
    quick = {"sweep_seconds": 0.1, "lease_seconds": 30, "connector_deadline_seconds": 5}
    return Desk(db, Settings.model_validate({**quick, **settings}))


@contextmanager
def working(desk: Desk, connector: Connector, *, slots: int = 4) -> Iterator[Worker]:
    """A started worker, stopped and empty afterwards."""
    worker = Worker(desk, serving(connector), slots=slots)
    worker.start()
    try:
        yield worker
    finally:
        worker.stop()
        assert worker.join(20), "the worker did not end"


def row(at: int, **values: Any) -> dict[str, Any]:
    """A scheduled refund due at `at`, as the table keeps it."""
    payload = canonical(values.pop("payload", PAYLOAD))
    return {
        "id": new_id(at),
        "kind": "refund",
        "state": State.SCHEDULED.value,
        "summary": "Refund 12.50 INR",
        "reason": "",
        "payload": payload,
        "payload_hash": fingerprint(payload),
        "customer": '{"ref":"c-17"}',
        "customer_ref": "c-17",
        "agent": AGENT,
        "drafted_by": f"agent:{AGENT}",
        "drafted_at": at - 10 * SECOND,
        "window": 9 * SECOND,
        "margin": SECOND,
        "cancel_by": at - SECOND,
        "execute_at": at,
        "claimable_at": at,
        "decision": '{"mode":"window","because":[]}',
        "state_by": "policy",
        **values,
    }


def plant(db: Database, *rows: Mapping[str, Any], parents: Sequence[str] = ()) -> list[str]:
    """Insert rows as drafts would, wake who waits, and answer their ids."""

    def work(tx: Any) -> None:
        conn: Connection = tx.conn
        conn.execute(insert(action), [dict(each) for each in rows])
        links = [{"child": each["id"], "parent": parent} for each in rows for parent in parents]
        if links:
            conn.execute(insert(dependency), links)
        tx.brings(min(each["execute_at"] for each in rows))

    db.transact(work)
    return [each["id"] for each in rows]


def get(db: Database, action_id: str) -> Action:
    """The action as it stands."""
    with db.read() as tx:
        found = actions.get(tx, action_id)
    assert found is not None
    return found


def timeline(db: Database, action_id: str) -> list[Event]:
    """Its events, oldest first."""
    with db.read() as tx:
        return events.of_action(tx, action_id)


def until(db: Database, action_id: str, *states: State, seconds: float = 30) -> Action:
    """The action once it is in one of `states`."""
    wait_until(lambda: get(db, action_id).state in states, seconds=seconds)
    return get(db, action_id)


def states(db: Database) -> list[str]:
    """The state of every row, by id."""
    with db.read() as tx:
        return list(tx.conn.scalars(select(action.c.state).order_by(action.c.id)))
