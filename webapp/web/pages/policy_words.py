"""What a policy row means, in plain sentences."""

from collections.abc import Callable, Iterator, Mapping

from webapp.domain.kinds.base import Kind
from webapp.domain.money import plain, thresholds
from webapp.domain.policy import Mode, Policy
from webapp.domain.rates import Burst, Spend, read_burst, read_spend
from webapp.domain.times import duration

_UNLESS = "unless somebody cancels"
HELD_AT_ONCE = "is held for a person: at once is before anybody can see it"
"""`immediate` where the kind asks for eyes."""


def sentences(kind: Kind, policy: Policy, zone: str = "") -> list[str]:
    """The rule first, then what differs from it. `zone` is the name of the desk's, where shown."""
    one = called(kind)
    if policy.mode is Mode.OFF:
        return [f"{one} is refused when it is drafted."]
    if policy.mode is Mode.APPROVAL:
        return [f"{one} waits for approval.", *_stops(policy, "what"), *_approved(policy)]
    rule, exceptions = _rule(one, policy), _exceptions(kind, policy, zone)
    if policy.mode is Mode.SHADOW:
        shadow = f"{one} waits for approval, and shows what a window would have done."
        return [shadow, f"With the window: {rule[0].lower()}{rule[1:]}", *exceptions]
    return [rule, *exceptions]


def called(kind: Kind) -> str:
    """`A refund`, `An exchange`."""
    label = kind.label.lower()
    return f"{'An' if label[0] in 'aeiou' else 'A'} {label}"


def limits(found: dict[str, int]) -> str:
    """`5,000.00 INR or 50.00 USD`"""
    return " or ".join(_grouped(value, code) for code, value in sorted(found.items()))


def said(key: str, value: object) -> str:
    """A key's value, as a row keeps it, for people: `5,000.00 INR`, `5 min`, `none`."""
    if value is None:
        return "none"
    if key.endswith("_seconds") and isinstance(value, int):
        return duration(value)
    try:
        return _READ.get(key, str)(str(value))
    except ValueError:  # an old row may hold what no row may hold now
        return str(value)


def _rule(one: str, policy: Policy) -> str:
    upto = f" up to {limits(policy.approval_above)}" if policy.approval_above else ""
    above = "; above it waits for approval" if policy.approval_above else ""
    if policy.mode is Mode.IMMEDIATE and policy.needs_eyes:
        return f"{one}{upto} {HELD_AT_ONCE}{above}."
    if policy.mode is Mode.IMMEDIATE:
        return f"{one}{upto} runs at once, and nobody has time to cancel{above}."
    window = duration(policy.window_seconds)
    return f"{one}{upto} runs {window} after drafting, {_UNLESS}{above}."


def _exceptions(kind: Kind, policy: Policy, zone: str) -> Iterator[str]:
    yield from _rules(kind, policy)
    yield from _stops(policy, "it is held, and what")
    if policy.desk_hours and policy.mode is not Mode.IMMEDIATE:
        where = f" in {zone}" if zone else ""
        yield f"Windows count only while the desk is open: {policy.desk_hours}{where}."
    if kind.says("no_undo") and not policy.allow_no_undo:
        yield "Without an undo it waits for approval."
    if policy.mode in (Mode.SHADOW, Mode.WINDOW) and policy.margin_seconds:
        yield (
            f"It runs {duration(policy.margin_seconds)} after the countdown has ended, "
            "so that a click in the last moment still counts."
        )
    yield from _approved(policy)
    if policy.needs_eyes:
        yield (
            "If it was on nobody's screen when its time comes, it is held for a person"
            f"{', so each one is' if policy.mode is Mode.IMMEDIATE else ''}."
        )
    yield (
        f"If it was due for more than {duration(policy.max_overdue_seconds)} without being run, "
        "it is held for a person."
    )
    if policy.on_parent_failed == "hold":
        yield "If what it depends on fails, it is held for a person; else it would be cancelled."


def _rules(kind: Kind, policy: Policy) -> Iterator[str]:
    longer = f"runs {duration(policy.long_window_seconds)} after drafting"
    if policy.long_window_above:
        yield f"Above {limits(policy.long_window_above)} it {longer}."
    if policy.long_window_above or policy.approval_above or policy.spend:
        yield "In a currency without a limit it waits for approval."
    if policy.flagged == "approval":
        yield "For a flagged customer it waits for approval."
    if policy.flagged == "long_window":
        yield f"For a flagged customer it {longer}."
    if policy.first_of_kind == "approval":
        yield "The first for a customer, or by an agent, waits for approval."
    if policy.likely_duplicate != "same" and kind.says("amount"):
        then = "waits for approval" if policy.likely_duplicate == "approval" else longer
        yield f"One with the order and amount of another within a day {then}."


def _stops(policy: Policy, held: str) -> Iterator[str]:
    for limit in (
        *([_burst(policy.burst)] if policy.burst else []),
        *([_spend(policy.spend)] if policy.spend else []),
    ):
        yield f"Beyond {limit} by one agent {held} that agent has scheduled of this kind is held."


def _approved(policy: Policy) -> Iterator[str]:
    yield f"Once approved it runs {duration(policy.approved_window_seconds)} later, {_UNLESS}."
    yield f"What nobody decides on within {duration(policy.approval_ttl_seconds)} is rejected."


def _grouped(value: int, code: str) -> str:
    whole, _, rest = plain(value, code).partition(" ")
    units, point, part = whole.partition(".")
    return f"{int(units):,}{point}{part} {rest}"


def _burst(most: Burst) -> str:
    return f"{most.count} within {duration(most.seconds)}"


def _spend(most: Spend) -> str:
    return f"{limits(dict(most.limits))} within {duration(most.seconds)}"


_READ: Mapping[str, Callable[[str], str]] = {
    "approval_above": lambda text: limits(thresholds(text)),
    "long_window_above": lambda text: limits(thresholds(text)),
    "burst": lambda text: _burst(read_burst(text)),
    "spend": lambda text: _spend(read_spend(text)),
}
