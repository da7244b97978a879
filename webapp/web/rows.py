"""The row's view model: all that `templates/actions/_row.html` shows, for page and live frame.

A row is the same for everybody who may see it: staff and admins have the same buttons.
"""

from dataclasses import dataclass
from functools import cached_property
from typing import ClassVar

from markupsafe import Markup

from webapp.domain.action import Action
from webapp.domain.states import TOO_LATE, State
from webapp.domain.times import maybe_rfc3339
from webapp.services.late import disagreeing
from webapp.services.screen import NAMED, Surroundings
from webapp.store.dependants import Dependant
from webapp.web import row_buttons
from webapp.web.moments import Zone, amount, countdown
from webapp.web.risk_marks import Mark, marks
from webapp.web.row_buttons import Button, Field
from webapp.web.row_facts import Teller, beside
from webapp.web.visible import plain, shortened

SUMMARY_AT_MOST = 140
"""Characters of the summary in a row; the action's page has all of it."""
REMOVED = "data removed"
"""In the place of what the retention took away."""
_ASKS = frozenset({State.AWAITING_APPROVAL, State.HELD, State.UNKNOWN})


@dataclass(frozen=True)
class Row:
    """One action as a row, `now` being the deciding clock (UTC microseconds)."""

    action: Action
    around: Surroundings
    zone: Zone
    now: int
    pickable: bool = False
    """It has a checkbox. Without, a page of 200 rows stays below 200 KB; scripts add their own."""
    picked: bool = False
    answer: str = ""
    """What the last press for several was told of it."""

    queued: ClassVar[bool] = False
    """It stands in the queue of the approvals, with all that it would send."""

    @property
    def too_late(self) -> bool:
        """A cancel was recorded after the claim."""
        return self.action.late_cancel_at is not None and self.action.state in TOO_LATE

    @property
    def needs_person(self) -> bool:
        """It goes no further, or should not be left, without somebody's decision."""
        action = self.action
        if action.pruned:
            return False
        if action.state in _ASKS:
            return True
        if disagreeing(action, self.around.late.get(action.id, ())):
            return row_buttons.repair(action, self.around) is None
        if action.state is State.FAILED:
            return row_buttons.again_of(action, self.around) is None
        if action.state is State.EXECUTED:
            lost = self.too_late or (action.effect or {}).get("status") == "failed_later"
            return lost and row_buttons.repair(action, self.around) is None
        return False

    @property
    def word(self) -> str:
        """The state in a word."""
        return "Too late" if self.too_late else self.action.state.label

    @property
    def beside(self) -> str:
        return beside(self.action, self._teller)

    @property
    def deadline(self) -> str | None:
        return maybe_rfc3339(self.action.cancel_by)

    @property
    def execute_at(self) -> str | None:
        return maybe_rfc3339(self.action.execute_at)

    @property
    def left(self) -> int:
        """Microseconds until `cancel_by`."""
        return (self.action.cancel_by or self.now) - self.now

    @property
    def countdown(self) -> str:
        """What clock.js shows too: one that something else holds up is not due."""
        return "waits" if self.blocked and self.left <= 0 else countdown(self.left)

    @property
    def since(self) -> int:
        """When it came to its state, as far as its row says."""
        action = self.action
        return action.finished_at or action.claimed_at or action.drafted_at

    @property
    def blocked(self) -> bool:
        """Due or not, something else has to be executed first."""
        return self.action.state is State.SCHEDULED and bool(self._teller.waits_for())

    @property
    def amount(self) -> str | None:
        if self.action.amount_value is None or self.action.amount_currency is None:
            return None
        return amount(self.action.amount_value, self.action.amount_currency)

    @property
    def whom(self) -> str:
        """The customer, by the name that the agent gave."""
        if self.action.pruned:
            return "somebody"
        return str(self.action.customer.get("name") or self.action.customer["ref"])

    @property
    def target(self) -> str:
        return REMOVED if self.action.pruned else self.action.of.target(self.action.payload)

    @property
    def summary(self) -> str:
        return REMOVED if self.action.pruned else shortened(self.action.summary, SUMMARY_AT_MOST)

    @cached_property
    def what(self) -> str:
        """For listeners: `refund of ₹4,250.00 for Meera K.`"""
        money = f" of {self.amount}" if self.amount else ""
        return f"{self.action.of.label.lower()}{money} for {plain(shortened(self.whom, 60))}"

    @property
    def marks(self) -> list[Mark]:
        """Why somebody should look."""
        return marks(self.action)

    @property
    def stopped(self) -> list[Dependant]:
        """What its cancel would stop too, as many as a row names."""
        return self.around.stopped.get(self.action.id, [])[:NAMED]

    @property
    def also_stops(self) -> str:
        """`also stops 2 more`; nothing where its cancel stops it alone."""
        if self.stops_others:
            return f"also stops more than {NAMED} others"
        return f"also stops {len(self.stopped)} more" if self.stopped else ""

    @property
    def stops_others(self) -> bool:
        """Its cancel would stop more than a row names."""
        return len(self.around.stopped.get(self.action.id, ())) > NAMED

    @cached_property
    def facts(self) -> list[Markup]:
        return self._teller.facts()

    @cached_property
    def buttons(self) -> list[Button]:
        return row_buttons.buttons(self.action, self.around, self.what, self.also_stops)

    @property
    def field(self) -> Field | None:
        return row_buttons.field(self.buttons)

    @cached_property
    def _teller(self) -> Teller:
        return Teller(self.action, self.around, self.zone, self.now)
