"""One action as it was read: everything that its row says, times in UTC microseconds."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import CANCELLABLE, State


@dataclass(frozen=True, slots=True, kw_only=True)
class Action:
    """A row, its links included. Field names are the columns'."""

    id: str
    kind: str
    state: State
    previous_state: State | None
    version: int
    summary: str
    reason: str
    payload: Mapping[str, Any]
    payload_hash: str
    amount_value: int | None
    amount_currency: str | None
    customer: Mapping[str, Any]
    order_ref: str | None
    agent: str
    drafted_by: str
    drafted_at: int
    not_before_at: int | None
    window: int
    margin: int
    extended: int
    cancel_by: int | None
    execute_at: int | None
    claimable_at: int | None
    held_left: int | None
    decision: Mapping[str, Any]
    blockers: int
    attempt: int
    worker: str | None
    claimed_at: int | None
    lease_until: int | None
    finished_at: int | None
    cancelled_by: str | None
    cancelled_at: int | None
    cancel_reason: str | None
    late_cancel_by: str | None
    late_cancel_at: int | None
    late_cancel_reason: str | None
    state_by: str
    state_reason: str | None
    effect: Mapping[str, Any] | None
    error: Mapping[str, Any] | None
    reserved_until: int | None
    compensates: str | None
    again_of: str | None
    first_viewed_at: int | None
    has_dependants: bool = False
    """Others were drafted to run after it."""
    approve_by: int | None = None
    """When it is rejected by itself, should it still wait for a decision."""
    link: int = 0
    """The generation of the customer's link: it rises when the link is taken back."""
    pruned_at: int | None = None
    """When its payload and personal data were taken away."""
    merges: int = 0
    """How many further drafts joined it."""
    depends_on: tuple[str, ...] = ()
    compensated_by: tuple[str, ...] = ()

    @property
    def of(self) -> Kind:
        """Its kind's description."""
        return KINDS[self.kind]

    @property
    def cancellable(self) -> bool:
        """Whether a cancel would win now; the row decides again when one arrives."""
        return self.state in CANCELLABLE

    @property
    def pruned(self) -> bool:
        """Its payload and personal data are gone: what needs them is refused."""
        return self.pruned_at is not None

    @property
    def in_doubt(self) -> bool:
        """Its attempt is over, nobody knows with what effect, and the sweep is to find out."""
        return self.state is State.EXECUTING and not self.worker


@dataclass(frozen=True, slots=True)
class Receipt:
    """Who won the race between a cancel and the claim, by the deciding clock.

    `margin` in microseconds is by how much the winner was ahead: the time left before
    `execute_at` (cancel; negative when overdue, None without a time), or from claim to cancel.
    """

    won_by: str
    cancel_received_at: int
    claimed_at: int | None
    execute_at: int | None
    margin: int | None
