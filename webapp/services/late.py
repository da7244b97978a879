"""Results of attempts that somebody else had taken over meanwhile. Promise 5.

A zombie's late result is never applied as such: it is evidence for a row of unknown outcome, and on
any other, where it contradicts the row, a discrepancy that people are shown.
"""

import json
from collections.abc import Iterable

from webapp.domain.action import Action
from webapp.domain.states import State
from webapp.services.desk import Desk
from webapp.store import actions, attempts
from webapp.store.asker import Asker
from webapp.store.attempts import Late
from webapp.store.claims import Finish
from webapp.store.engine import Tx
from webapp.store.transitions import resolve_happened


def reconcile(desk: Desk, late: Finish, worker: str) -> str | None:
    """Keep a result that the fence refused, and settle an unknown row that it settles.

    Answers what became of it, for the log; None where it was this worker's own, written by a
    commit whose answer was lost. Raises Unavailable.
    """

    def work(tx: Tx) -> str | None:
        actions.lock(tx, late.id)
        found = actions.get(tx, late.id)
        if found is None or _own(found, late, worker) or not attempts.note(tx, late, worker):
            return None
        if found.state is State.UNKNOWN and late.state is State.EXECUTED and late.effect:
            words = f"attempt {late.attempt}, believed lost, reported that it happened"
            resolve_happened(tx, late.id, Asker(worker, words), late.effect)
            return "taken as evidence, the row was of unknown outcome"
        return f"not applied, the row is {found.state}, attempt {found.attempt}"

    return desk.db.transact(work)


def disagreeing(action: Action, late: Iterable[Late]) -> list[Late]:
    """Those that say it happened, of a row that says it did not, or by another effect."""
    if action.state in (State.EXECUTING, State.UNKNOWN):
        return []  # still open: what is found out may agree
    reported = [one for one in late if one.outcome == State.EXECUTED]
    if action.state is not State.EXECUTED:
        return reported
    known = (action.effect or {}).get("provider_id")  # None: by a person's word
    return [one for one in reported if known and one.provider_id not in (None, known)]


def _own(found: Action, late: Finish, worker: str) -> bool:
    """Whether this very result was written, whatever has become of the row since.

    What a finish says of its error stays on the row. A database put back leaves the worker and the
    attempt there too, with an error of its own: what that worker then says was not written.
    """
    if found.attempt != late.attempt:
        return False
    if late.state is State.EXECUTING:  # in doubt: it was nobody's any more when that was written
        return True
    if found.worker != worker or found.state is State.EXECUTING:
        return False
    return found.error == (json.loads(late.error) if late.error else None)
