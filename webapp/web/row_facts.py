"""What a row says of its state: who did what, and in a lost race who was first and by how much."""

from collections.abc import Iterator
from dataclasses import dataclass

from markupsafe import Markup, escape

from webapp.domain.action import Action
from webapp.domain.states import RAN_OUT, State
from webapp.domain.times import SECOND, from_rfc3339, to_rfc3339
from webapp.services.cancel import late_receipt
from webapp.services.late import disagreeing
from webapp.services.objection import CUSTOMER
from webapp.services.screen import Surroundings
from webapp.web.moments import Zone, ago, countdown, span
from webapp.web.row_buttons import again_of, alone, can_be_repaired, repair
from webapp.web.visible import plain, shortened, visible

_EFFECTS = {
    "submitted": "The provider took it; it is not settled yet.",
    "failed_later": "The provider took it, and it failed there later.",
    "reversed": "It was taken back.",
}
_NO_WINDOW = {
    State.AWAITING_APPROVAL: "it would wait for approval without it too",
    State.HELD: "a window would not have run it, the breaker would have held it",
}
_QUOTED_AT_MOST = 300
_LATELY = 3_600 * SECOND
"""For so long it is told how long ago it ended; then the time alone."""


@dataclass(frozen=True, slots=True)
class Teller:
    """Tells of one action among its surroundings."""

    action: Action
    around: Surroundings
    zone: Zone
    now: int

    def facts(self) -> list[Markup]:
        """Sentences, none where the row speaks for itself."""
        tell = {
            State.AWAITING_APPROVAL: self._awaiting,
            State.SCHEDULED: self._scheduled,
            State.HELD: self._held,
            State.EXECUTING: self._executing,
            State.EXECUTED: self._executed,
            State.CANCELLED: self._cancelled,
            State.REJECTED: self._rejected,
            State.FAILED: self._failed,
            State.UNKNOWN: self._unknown,
        }.get(self.action.state)
        return [*(tell() if tell else ()), *self._disagree()]

    def waits_for(self) -> list[Action]:
        """What has to be executed first, and is not."""
        parents = (self.around.actions.get(one) for one in self.action.depends_on)
        return [one for one in parents if one and one.state is not State.EXECUTED]

    def name(self, actor: str | None) -> Markup:
        """Who acted; a worker acts for the desk."""
        if actor and actor.startswith("worker:"):
            return Markup("the desk")
        return visible(self.around.name(actor or "nobody"))

    def called(self, other: Action) -> Markup:
        """A link to another action, by its kind."""
        words = f"the {other.of.label.lower()}"
        return Markup('<a href="/actions/{}">{}</a>').format(other.id, words)

    def _scheduled(self) -> Iterator[Markup]:
        yield from self._joined()
        for parent in self.waits_for():
            now = (
                Markup("")
                if parent.state in (State.SCHEDULED, State.EXECUTING)
                else (Markup(" ({})").format(parent.state.label.lower()))
            )
            yield Markup("Waits for {}{}.").format(self.called(parent), now)
        error = self.action.error
        if self.action.attempt and error:
            yield Markup("Attempt {} had no effect: {}.").format(
                self.action.attempt, self._quoted(error.get("message"))
            )

    def _shadow(self) -> Iterator[Markup]:
        """What the window would have done, where the kind is in shadow."""
        instead = self.action.decision.get("would_have") or {}
        at = instead.get("execute_at")
        if at is not None:
            yield Markup("In shadow: a window would have run it at {}, unless cancelled.").format(
                self.zone.marked(from_rfc3339(at))
            )
        elif instead:
            words = _NO_WINDOW[State(instead["state"])]
            yield Markup("In shadow: {}.").format(words)

    def _joined(self) -> Iterator[Markup]:
        """What the drafts that joined it want, beside the first one's words."""
        for part in self.around.parts.get(self.action.id, ())[1:]:
            yield Markup("Joined by {}.").format(self._quoted(part.summary))

    def _held(self) -> Iterator[Markup]:
        yield from self._joined()
        told = [*self._after_failed()]
        yield from told
        if self.action.state_reason and not (told and self.action.state_by == "policy"):
            yield self._quoted(self.action.state_reason)

    def _awaiting(self) -> Iterator[Markup]:
        yield from self._after_failed()
        if self.action.state_reason:
            yield Markup("Since it was drafted: {}.").format(self._quoted(self.action.state_reason))
        if self.action.approve_by is not None:
            yield Markup("It is rejected by itself at {}, unless somebody decides before.").format(
                self.zone.marked(self.action.approve_by, "stamp")
            )
        yield from self._shadow()

    def _after_failed(self) -> Iterator[Markup]:
        for parent in self.waits_for():
            if parent.state is State.FAILED:
                verb = "Released" if self.action.state is State.HELD else "Approved"
                yield Markup("It depends on {}, which failed. {}, it runs without it.").format(
                    self.called(parent), verb
                )

    def _executing(self) -> Iterator[Markup]:
        action = self.action
        if action.in_doubt:
            yield from self._in_doubt()
        elif action.error:
            known = "may have had its effect" if _may_have_happened(action) else "had no effect"
            yield Markup("An attempt before this one {}: {}.").format(
                known, self._quoted(action.error.get("message"))
            )
        if action.late_cancel_at is not None:
            yield self._race()
            yield Markup("If this attempt had no effect it ends as cancelled.")

    def _in_doubt(self) -> Iterator[Markup]:
        action = self.action
        yield Markup("Nobody knows yet whether attempt {} had its effect: {}.").format(
            action.attempt, self._quoted((action.error or {}).get("message"))
        )
        if action.late_cancel_at is not None:
            yield Markup("The provider is asked, and nothing is sent again.")
        else:
            yield Markup("The provider is asked, or sent the same key again, from {} on.").format(
                self.zone.marked(action.lease_until or action.drafted_at)
            )

    def _executed(self) -> Iterator[Markup]:
        repaired = repair(self.action, self.around)
        if self.action.late_cancel_at is not None:
            yield self._race()
        if repaired is not None:
            yield Markup("{}: {}.").format(
                Markup('<a href="/actions/{}">{}</a>').format(repaired.id, repaired.of.label),
                repaired.state.label.lower(),
            )
        elif self.action.late_cancel_at is not None:
            way_back = self.action.of.way_back
            if way_back is not None and can_be_repaired(self.action, self.around):
                yield escape(way_back.explain)
            else:
                yield Markup("There is no way back for this one.")
        effect = (self.action.effect or {}).get("status")
        if effect in _EFFECTS:
            yield escape(_EFFECTS[effect])

    def _race(self) -> Markup:
        receipt = late_receipt(self.action)
        if receipt is None or receipt.claimed_at is None:
            return Markup("")
        if self.action.late_cancel_by == CUSTOMER.actor:
            return Markup("It ran at {}; at {} the customer said that it isn't right.").format(
                self.zone.marked(receipt.claimed_at, "exact"),
                self.zone.marked(receipt.cancel_received_at, "exact"),
            )
        return Markup("It ran at {}, the cancel by {} arrived at {}.").format(
            self.zone.marked(receipt.claimed_at, "exact"),
            self.name(self.action.late_cancel_by),
            self.zone.marked(receipt.cancel_received_at, "exact"),
        )

    def _cancelled(self) -> Iterator[Markup]:
        action = self.action
        who = self.name(action.cancelled_by)
        ended = [one for one in self._parents() if one.state in RAN_OUT]
        if action.late_cancel_at is not None:
            left = "after an attempt that had no effect"
        elif action.previous_state is State.AWAITING_APPROVAL:
            left = "before anybody approved it"
        elif action.execute_at is None or action.cancelled_at is None:
            left = "while it was held"
        else:
            left = time_left(action)
        told = Markup(" ").join(filter(None, (who, left)))
        yield Markup("Nothing happened. Cancelled by {}{}.").format(told, self._ago())
        if ended:
            yield Markup("It went along with {}.").format(self.called(ended[0]))
        elif action.cancel_reason:
            yield self._quoted(action.cancel_reason)
        yield from self._repeated()

    def _rejected(self) -> Iterator[Markup]:
        by_itself = self.action.state_by == "policy"
        who = Markup("itself") if by_itself else self.name(self.action.state_by)
        said = self._quoted(self.action.state_reason)
        when = "" if by_itself else self._ago()
        yield Markup("Rejected by {}: {}{}.").format(who, said, when)
        yield from self._repeated()

    def _failed(self) -> Iterator[Markup]:
        error = self.action.error or {}
        if self.action.state_reason:  # a person settled it
            yield Markup("{} says that it did not happen: {}.").format(
                self.name(self.action.state_by), self._quoted(self.action.state_reason)
            )
        else:
            tries = f"after {self.action.attempt} attempts " if self.action.attempt > 1 else ""
            yield Markup("It failed {}without an effect: {}.").format(
                tries, self._quoted(error.get("message"))
            )
        yield from self._repeated()

    def _unknown(self) -> Iterator[Markup]:
        error = self.action.error or {}
        yield Markup("Nobody knows whether it happened: {}.").format(
            self._quoted(error.get("message"))
        )
        if self.action.late_cancel_at is not None:
            yield self._race()
        yield Markup("Look at the provider, then say what you found.")

    def _disagree(self) -> Iterator[Markup]:
        for late in disagreeing(self.action, self.around.late.get(self.action.id, ())):
            yield Markup(
                "<b>Look at the provider:</b> attempt {}, believed lost, reported at {} that it "
                "happened ({}), and this row says otherwise."
            ).format(
                late.attempt, self.zone.marked(late.at, "exact"), visible(late.provider_id or "?")
            )

    def _ago(self) -> Markup:
        """`, 2 s ago`, which scripts keep true; nothing of what ended long ago."""
        at = self.action.finished_at
        if at is None or self.now - at > _LATELY:
            return Markup("")
        words = Markup('<time class="ago" datetime="{}">{}</time>')
        return Markup(", ") + words.format(to_rfc3339(at), ago(self.now - at))

    def _repeated(self) -> Iterator[Markup]:
        repeat = again_of(self.action, self.around)
        if repeat is not None:
            yield Markup('<a href="/actions/{}">Scheduled again</a>.').format(repeat)
        else:
            for parent in alone(self.action, self.around)[:1]:
                yield Markup("It was to run after {}, so it is not scheduled again alone.").format(
                    self.called(parent)
                )

    def _parents(self) -> list[Action]:
        parents = (self.around.actions.get(one) for one in self.action.depends_on)
        return [one for one in parents if one]

    def _quoted(self, words: object) -> Markup:
        text = shortened(str(words or "no words"), _QUOTED_AT_MOST)
        return Markup('<span class="said">“{}”</span>').format(visible(text))


def _may_have_happened(action: Action) -> bool:
    return bool((action.error or {}).get("may_have_happened"))


def time_left(action: Action) -> str:
    """By how much a cancel was ahead, from `cancel_by` as people were shown it."""
    at, cancel_by, execute_at = action.cancelled_at, action.cancel_by, action.execute_at
    if at is None or cancel_by is None or execute_at is None:
        return ""
    if cancel_by > at:
        left = cancel_by - at
        return f"with {countdown(left) if left >= SECOND else span(left)} left"
    if execute_at > at:
        return f"in the last moment, {span(execute_at - at)} before it would have run"
    return "when it was due and nobody had claimed it"


def beside(action: Action, teller: Teller) -> str:
    """The small line under the state's word, for states without a countdown."""
    if action.state is State.HELD:
        return f"by {plain(teller.around.name(action.state_by))}"
    if action.in_doubt and action.late_cancel_at is None:
        return "outcome not known yet"
    if action.late_cancel_at is not None and action.claimed_at is not None:
        return f"by {span(action.late_cancel_at - action.claimed_at)}"
    return ""
