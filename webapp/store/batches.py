"""The statements behind `claims`: what the worker does to many rows at once.

Differs because PostgreSQL moves rows and logs events in one statement, skipping rows that others
have locked; SQLite has one writer and logs in a second statement of the same transaction.
"""

from typing import Any

from sqlalchemy import (
    BigInteger,
    ColumnElement,
    Integer,
    Select,
    String,
    Subquery,
    Text,
    Update,
    and_,
    any_,
    bindparam,
    case,
    cast,
    column,
    exists,
    func,
    literal,
    literal_column,
    null,
    or_,
    select,
    text,
    update,
)
from sqlalchemy.dialects.postgresql import JSONB

from webapp.domain.states import TERMINAL, State
from webapp.domain.times import SECOND
from webapp.store.arrow import log_moved, param
from webapp.store.columns import word
from webapp.store.engine import NOW
from webapp.store.schema import action, dependency, pause

# As a parameter in LIMIT, a prepared statement would be planned for a tenth of all rows.
_one = literal_column("1", Integer())


def _none(*found: Any) -> ColumnElement[bool]:
    """That no row is found, asked of each candidate in turn.

    Differs from NOT EXISTS, which PostgreSQL makes a join of: without statistics of the small
    table it expects next to nothing to be left, and sorts all rows for the first (250 ms at 100 k).
    """
    return case((or_(*found), literal_column("0", Integer())), else_=_one) == _one


_parent = action.alias("parent")
_paused = exists().where(
    or_(pause.c.agent.is_(None), pause.c.agent == action.c.agent),
    or_(pause.c.kind.is_(None), pause.c.kind == action.c.kind),
)
_blocked = exists().where(
    dependency.c.child == action.c.id,
    _parent.c.id == dependency.c.parent,
    _parent.c.state != word(State.EXECUTED),
)
# Texts, not parameters: a prepared statement must match the partial index's predicate.
_scheduled = text("action.state = 'scheduled' AND action.blockers = 0")
_executing = text("action.state = 'executing'")
_due = and_(_scheduled, action.c.execute_at <= NOW)
# Beside the others inside `_none`: a condition of its own would lower what PostgreSQL expects to
# find, and with it the index's worth. A look at two numbers of a row that is read anyhow.
_overdue = action.c.claimable_at + action.c.overdue_after < NOW
_unseen = action.c.unseen
_lost = and_(_executing, action.c.lease_until < NOW)

NOT_PAUSED = _none(_paused)


def _by(index: str) -> tuple[Any, str, str]:
    """Differs because SQLite scans the table once an ANALYZE has seen that most rows are claimable.

    It counts what LIMIT leaves out: 55 ms for the next of 100,000, half a second at a million.
    """
    return action, f"INDEXED BY {index}", "sqlite"


NEXT_DUE = (
    select(action.c.execute_at)
    .with_hint(*_by("ix_action_claimable"))
    # Nobody may have seen it yet, and there still is time.
    .where(
        _scheduled,
        _none(_overdue, and_(_unseen, action.c.execute_at <= NOW), _blocked, _paused),
    )
    .order_by(action.c.execute_at, action.c.id)
    .limit(_one)
)

OLDEST_OVERDUE = (
    select(action.c.claimable_at)
    .with_hint(*_by("ix_action_claimable"))
    .where(_due, _none(_blocked, _paused))
    .order_by(action.c.execute_at, action.c.id)
    .limit(_one)
)

# Inside a function no partial index answers it: rows whose keys are known are fetched by them.
_state = func.coalesce(action.c.state, word(""))

_lease = NOW + param("lease", BigInteger())
_slots = param("slots", Integer())

CLAIMED = (
    action.c.id,
    action.c.kind,
    action.c.payload,
    action.c.payload_hash,
    action.c.attempt,
    action.c.execute_at,
    action.c.claimed_at,
)
"""The first fields of `claims.Claim`, in their order."""

TAKEN = (*CLAIMED, action.c.late_cancel_at, action.c.state, action.c.previous_state)
"""What a worker gets of the rows it took."""

FIRST_LOOK = 30 * SECOND
"""After an outcome became unknown: whatever was still under way then is over."""

FINISH_VERBS: dict[str, str] = {State.SCHEDULED: "retried", State.EXECUTING: "in_doubt"}
"""How a finish is called in its event, where that is not the state's own name."""

FINISHED = (
    action.c.id,
    action.c.kind,
    action.c.state,
    action.c.previous_state,
    action.c.has_dependants,
    action.c.execute_at,
    action.c.reserved_until,
    action.c.compensates,
)


class Take:
    """Rows that match `guard`, by `order`, become `executing` under this worker's lease."""

    def __init__(self, verb: str, guard: Any, still: Any, order: Any, index: str) -> None:
        self.verb = verb
        found = select(action.c.id).where(guard).order_by(order, action.c.id).limit(_slots)
        # Differs because SQLite plans anew at each run when a bare parameter is its LIMIT: four
        # fifths of what a claim cost.
        few = found.limit(_slots + literal_column("0", Integer())).with_hint(*_by(index))
        self.sqlite = self._update().where(action.c.id.in_(few), still).returning(*TAKEN)
        # MATERIALIZED, and the state repeated outside: a plain IN (SELECT … LIMIT n … SKIP LOCKED)
        # can be planned so that it takes more than n. An array, so that the rows are fetched by
        # their key: joined, they were looked for among all that is due (115 ms at 10,000).
        due = (
            found.with_for_update(skip_locked=True, of=action)
            .cte("due")
            .prefix_with("MATERIALIZED")
        )
        keys = func.array(select(due.c.id).scalar_subquery())
        moved = (
            self._update().where(action.c.id == any_(keys), still).returning(*TAKEN).cte("moved")
        )
        data = literal('{"attempt": ').concat(cast(moved.c.attempt, String())).concat("}")
        logged = log_moved(moved.c, word(verb), data, cast(null(), String()))
        self.postgresql = select(moved).add_cte(logged)

    def _update(self) -> Update:
        return update(action).values(
            state=word(State.EXECUTING),
            previous_state=action.c.state,
            version=action.c.version + _one,
            attempt=action.c.attempt + _one,
            worker=param("actor", String()),
            state_by=param("actor", String()),
            state_reason=null(),
            claimed_at=func.coalesce(
                case((action.c.state == word(State.EXECUTING), action.c.claimed_at)), NOW
            ),
            lease_until=_lease,
        )


CLAIM = Take(
    "claimed",
    and_(_due, _none(_overdue, _unseen, _blocked, _paused)),
    _state == word(State.SCHEDULED),
    action.c.execute_at,
    "ix_action_claimable",
)
LEFT_TO_PEOPLE = and_(_due, or_(_overdue, _unseen), _none(_blocked, _paused))
"""What the claim refuses: claimable for longer than its kind allows (promise 14), or seen by
nobody although its kind asks for eyes (promise 13)."""
TAKE_OVER = Take(
    "taken_over",
    and_(_lost, _none(_paused)),
    _state == word(State.EXECUTING),
    action.c.lease_until,
    "ix_action_lease",
)

EXTEND_LEASES = (
    update(action)
    .where(
        action.c.id.in_(bindparam("p_ids", expanding=True)),
        _state == word(State.EXECUTING),
        action.c.worker == param("actor", String()),
    )
    .values(lease_until=_lease)
    .returning(action.c.id)
)

MINE = select(*TAKEN).where(_executing, action.c.worker == param("actor", String()))


def _finish(rows: Any) -> Update:
    again = rows.c.state == word(State.SCHEDULED)
    in_doubt = rows.c.state == word(State.EXECUTING)
    # Both certainly had no effect: whoever wanted it cancelled gets it cancelled.
    without_effect = or_(again, rows.c.state == word(State.FAILED))
    withdrawn = and_(without_effect, action.c.late_cancel_at.is_not(None))
    retried = and_(again, action.c.late_cancel_at.is_(None))
    ends = or_(withdrawn, rows.c.state.in_([word(state) for state in sorted(TERMINAL)]))
    retry_at = cast(rows.c.retry_at, BigInteger())
    return (
        update(action)
        .where(
            action.c.id == rows.c.id,
            action.c.attempt == cast(rows.c.attempt, Integer()),
            _state == word(State.EXECUTING),
        )
        .values(
            state=case((withdrawn, word(State.CANCELLED)), else_=rows.c.state),
            previous_state=action.c.state,
            version=action.c.version + _one,
            finished_at=case((ends, NOW)),
            effect=func.coalesce(rows.c.effect, action.c.effect),
            error=rows.c.error,
            # In doubt: it belongs to nobody until the sweep takes it over.
            lease_until=case((in_doubt, retry_at)),
            worker=case((in_doubt, word("")), else_=action.c.worker),
            execute_at=case((retried, retry_at), else_=action.c.execute_at),
            cancel_by=case((retried, retry_at), else_=action.c.cancel_by),
            claimable_at=case((retried, retry_at), else_=action.c.claimable_at),
            look_at=case(
                (rows.c.state == word(State.UNKNOWN), NOW + literal_column(str(FIRST_LOOK))),
                (rows.c.state == word(State.EXECUTED), retry_at),
            ),
            cancelled_at=case((withdrawn, NOW)),
            cancelled_by=case((withdrawn, action.c.late_cancel_by)),
            cancel_reason=case((withdrawn, action.c.late_cancel_reason)),
            state_by=param("actor", String()),
            state_reason=null(),
        )
    )


_RESULT = ("id", "attempt", "state", "effect", "error", "retry_at", "data")
"""The fields of `claims.Finish`, in their order: each result comes as a JSON array."""


def _rows_sqlite() -> Subquery:
    each = func.json_each(param("rows")).table_valued("value")
    return select(
        *(
            func.json_extract(each.c.value, literal_column(f"'$[{place}]'")).label(name)
            for place, name in enumerate(_RESULT)
        )
    ).subquery("f")


def _rows_postgresql() -> Subquery:
    parsed = cast(param("rows"), JSONB())
    each = func.jsonb_array_elements(parsed).table_valued(column("value", JSONB()), name="r")
    return select(
        *(
            each.c.value.op("->>", return_type=Text())(literal_column(str(place))).label(name)
            for place, name in enumerate(_RESULT)
        )
    ).subquery("f")


def _finish_postgresql() -> Select[Any]:
    rows = _rows_postgresql()
    # In id order, as everybody locks: an UPDATE alone would lock in the plan's order.
    locked = (
        select(action.c.id)
        .where(action.c.id == any_(func.array(select(rows.c.id).scalar_subquery())))
        .order_by(action.c.id)
        .with_for_update()
        .cte("locked")
        .prefix_with("MATERIALIZED")
    )
    moved = (
        _finish(rows)
        .where(locked.c.id == action.c.id)
        .returning(*FINISHED, rows.c.data)
        .cte("moved")
    )
    verb = case(
        *((moved.c.state == word(s), word(v)) for s, v in FINISH_VERBS.items()),
        else_=moved.c.state,
    )
    logged = log_moved(moved.c, verb, moved.c.data, cast(null(), String()))
    return select(moved).add_cte(logged)


FINISH_SQLITE = _finish(_rows_sqlite()).returning(*FINISHED)
FINISH_POSTGRESQL = _finish_postgresql()
