"""What becomes of an action when one that it depends on has failed."""

import json
from collections.abc import Sequence

from sqlalchemy import Integer, String, bindparam, delete, select, update

from webapp.domain.policy import Policy, default_policy
from webapp.domain.states import CANCELLABLE, State
from webapp.domain.times import SECOND
from webapp.store import policies
from webapp.store.arrow import Arrow, asked
from webapp.store.asker import Asker
from webapp.store.engine import Tx
from webapp.store.hold import HELD
from webapp.store.schema import action, dependency

_HOLD = Arrow("held_with_parent", asked(State.SCHEDULED, **HELD))
_CHILDREN = (
    select(action.c.id, action.c.kind)
    .join(dependency, dependency.c.child == action.c.id)
    .where(
        dependency.c.parent == bindparam("parent", type_=String()),
        action.c.state.in_(CANCELLABLE),
    )
    .order_by(action.c.id)
    .with_for_update(of=action)
)
_FAILED = (
    select(dependency.c.parent)
    .join(action, action.c.id == dependency.c.parent)
    .where(dependency.c.child == bindparam("child"), action.c.state == State.FAILED)
    .order_by(dependency.c.parent)
)
_DROP = delete(dependency).where(
    dependency.c.child == bindparam("child"),
    dependency.c.parent.in_(bindparam("parents", expanding=True)),
)
_LESS = (
    update(action)
    .where(action.c.id == bindparam("b_child"))
    .values(blockers=action.c.blockers - bindparam("b_less", type_=Integer()))
)


def hold_children(tx: Tx, parent: str) -> frozenset[str]:
    """The live children of a failed `parent` whose own kind says `hold`; the scheduled are held.

    Those that are held already, or wait for approval, stay so. All keep the dependency until a
    person lets them go without it: `failed`, `drop`.
    """
    children = tx.conn.execute(_CHILDREN, {"parent": parent}).all()
    bodies = policies.read(tx).bodies if children else {}
    asker = Asker("policy", f"depends on {parent}, which failed")
    data = json.dumps({"reason": asker.reason, "root": parent})
    spared = set()
    for child in children:
        body = bodies.get(child.kind)
        policy = Policy.model_validate(body) if body else default_policy(child.kind)
        if policy.on_parent_failed == "hold":
            spared.add(child.id)
            values = asker.values(child.id, reserve=policy.reservation_seconds * SECOND)
            _HOLD.run(tx, values, asker.actor, data)
    return frozenset(spared)


def failed(tx: Tx, child: str) -> list[str]:
    """The failed actions that `child` still depends on."""
    return list(tx.conn.scalars(_FAILED, {"child": child}))


def drop(tx: Tx, child: str, parents: Sequence[str]) -> None:
    """`child` waits for these no longer."""
    tx.conn.execute(_DROP, {"child": child, "parents": list(parents)})
    tx.conn.execute(_LESS, {"b_child": child, "b_less": len(parents)})
