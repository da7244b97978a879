"""What a final state brings along, in the same transaction: dependants, stock, what it repaired.

Locks are taken parents before children, level by level, each level in id order, so that two
transactions never wait for each other in a circle.
"""

import json

from sqlalchemy import String, Text, bindparam, case, select, update

from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import CANCELLABLE, State
from webapp.store.arrow import Arrow, record
from webapp.store.asker import Asker
from webapp.store.cancelling import CANCELLED
from webapp.store.engine import NOW, AnyRow, Tx
from webapp.store.parents import hold_children
from webapp.store.schema import action, dependency, reservation, stock

_CASCADE = Arrow("cancelled_with_parent", CANCELLED)
_CHILDREN = (
    select(action.c.id)
    .join(dependency, dependency.c.child == action.c.id)
    .where(
        dependency.c.parent.in_(bindparam("parents", expanding=True)),
        action.c.state.in_(CANCELLABLE),
    )
    .order_by(action.c.id)
    .with_for_update(of=action)
)
_CASCADED = (
    select(action.c.id)
    .where(action.c.cancel_key == bindparam("root", type_=String()))
    .order_by(action.c.id)
)
_LOCK_CHILDREN = (
    select(action.c.id)
    .join(dependency, dependency.c.child == action.c.id)
    .where(dependency.c.parent == bindparam("parent"))
    .order_by(action.c.id)
    .with_for_update(of=action)
)
_UNBLOCK = (
    update(action)
    .where(action.c.id.in_(bindparam("children", expanding=True)))
    .values(
        blockers=action.c.blockers - 1,
        claimable_at=case((action.c.claimable_at > NOW, action.c.claimable_at), else_=NOW),
    )
    .returning(action.c.id, action.c.state, action.c.blockers, action.c.execute_at)
)
_RELEASE = (
    update(reservation)
    .where(
        reservation.c.action == bindparam("b_action"),
        reservation.c.released_at.is_(None),
    )
    .values(released_at=NOW)
    .returning(reservation.c.sku, reservation.c.quantity)
)
_RESTOCK = (
    update(stock)
    .where(stock.c.sku == bindparam("b_sku"))
    .values(available=stock.c.available + bindparam("b_quantity"))
)
_PAYLOAD = select(action.c.payload).where(action.c.id == bindparam("b_id"))
_ORIGINAL = (
    select(
        action.c.id,
        action.c.kind,
        action.c.state,
        action.c.state.label("previous_state"),
        action.c.effect,
    )
    .where(action.c.id == bindparam("b_id"))
    .with_for_update()
)
_REVERSED = (
    update(action)
    .where(action.c.id == bindparam("b_id"))
    .values(effect=bindparam("b_effect", type_=Text()), version=action.c.version + 1)
)


def ended(tx: Tx, row: AnyRow, actor: str) -> list[str]:
    """`row` has ended without an effect: its stock goes back, all its descendants end with it.

    Of a failed `row`, those children are spared whose own kind waits for a person then. Returns
    the ids of the descendants that ended, in their order, as `cascaded` tells them later.
    """
    if row.reserved_until is not None:
        _release(tx, row.id)
    return _cascade(tx, row, actor) if row.has_dependants else []


def executed(tx: Tx, row: AnyRow, actor: str) -> None:
    """`row` has been executed: children may go, stock returns, what it repaired says so."""
    if row.has_dependants:
        unblock(tx, row.id)
    kind = KINDS[row.kind]
    if kind.repairs is not None:
        payload = json.loads(tx.conn.scalar(_PAYLOAD, {"b_id": row.id}) or "{}")
        returned = kind.restocks(payload)
        if returned is not None:
            tx.conn.execute(_RESTOCK, {"b_sku": returned.sku, "b_quantity": returned.quantity})
        _mark_reversed(tx, row, actor)


def unblock(tx: Tx, parent: str) -> None:
    """The children of an executed `parent` wait for one less.

    A decrement, not a count: two parents that finish at once would each count the other.
    """
    children = list(tx.conn.scalars(_LOCK_CHILDREN, {"parent": parent}))
    if not children:
        return
    for child in tx.conn.execute(_UNBLOCK, tx.params({"children": children})).all():
        if child.state == State.SCHEDULED and child.blockers == 0:
            tx.brings(child.execute_at)


def cascaded(tx: Tx, root: str) -> list[str]:
    """The ids that the cancel of `root` took along."""
    return list(tx.conn.scalars(_CASCADED, {"root": f"with:{root}"}))


def _cascade(tx: Tx, root: AnyRow, actor: str) -> list[str]:
    taken: list[str] = []
    level = [root.id]
    asker = Asker(actor, f"depends on {root.id}, which was {root.state}")
    data = json.dumps({"reason": asker.reason, "root": root.id})
    spared = hold_children(tx, root.id) if root.state == State.FAILED else frozenset()
    while level:
        children = tx.conn.scalars(_CHILDREN, {"parents": level}).all()
        level = []
        # Spared by the failed one only: under a cancelled parent no child lives.
        going, spared = [one for one in children if one not in spared], frozenset()
        for child in dict.fromkeys(going):
            values = asker.values(child, key=f"with:{root.id}")
            row = _CASCADE.run(tx, values, actor, data)
            if row is None:
                continue
            taken.append(row.id)
            if row.reserved_until is not None:
                _release(tx, row.id)
            if row.has_dependants:
                level.append(row.id)
    if taken:
        tx.does("cascade")
    return sorted(taken)


def _release(tx: Tx, action_id: str) -> None:
    given = tx.conn.execute(_RELEASE, tx.params({"b_action": action_id})).first()
    if given is not None:
        tx.conn.execute(_RESTOCK, {"b_sku": given.sku, "b_quantity": given.quantity})


def _mark_reversed(tx: Tx, row: AnyRow, actor: str) -> None:
    original = tx.conn.execute(_ORIGINAL, {"b_id": row.compensates}).one()
    effect = json.loads(original.effect or "{}")
    way_back = KINDS[original.kind].way_back
    if way_back is not None and way_back.reverses:
        effect["status"] = "reversed"
    tx.conn.execute(_REVERSED, {"b_id": original.id, "b_effect": json.dumps(effect)})
    record(tx, original, "compensated", actor, json.dumps({"by": row.id}))
