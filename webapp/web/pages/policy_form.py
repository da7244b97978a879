"""The fields of a kind's policy, as the form shows them."""

from collections.abc import Mapping
from dataclasses import dataclass, replace

from webapp.domain.kinds.base import Kind
from webapp.domain.policy import Mode

MODES = {
    Mode.OFF: ("Off", "Agents may not draft it."),
    Mode.APPROVAL: ("Approval", "Each one waits until a person approves it."),
    Mode.SHADOW: (
        "Shadow",
        "Each one waits for approval, and shows when a window would have run it.",
    ),
    Mode.WINDOW: ("Window", "It is scheduled, shown with a countdown, and runs unless cancelled."),
    Mode.IMMEDIATE: ("Immediate", "It runs at once. Nobody can stop it."),
}


@dataclass(frozen=True, slots=True)
class Field:
    """One key. `choices` are values with their words; without them it is a text."""

    key: str
    label: str
    hint: str
    number: bool = True
    choices: tuple[tuple[str, str], ...] = ()
    only: str = ""
    """Shown where the kind says something about this (`Kind.says`)."""


FIRST = (
    Field("window_seconds", "Window", "Seconds in which people can cancel, 0 to 604800 (a week)."),
    Field("margin_seconds", "Margin", "Seconds after the countdown; a cancel still counts."),
)
_BEYOND = "One beyond it is held, with all that this agent has scheduled of this kind."
MORE = (
    Field("approved_window_seconds", "Window after an approval", "Seconds, 0 to 3600."),
    Field(
        "approval_ttl_seconds",
        "Approval expires after",
        "Seconds, 1 to 2592000 (30 days). What nobody decides on by then is rejected by itself. "
        "Holds for what is drafted from now on.",
    ),
    Field(
        "approval_above",
        "Approval above",
        "Like 500000:INR,5000:USD, in minor units (paise, cents); empty for no limit. "
        "Other currencies then wait for approval.",
        number=False,
        only="amount",
    ),
    Field(
        "long_window_above",
        "Longer window above",
        "The same form.",
        number=False,
        only="amount",
    ),
    Field("long_window_seconds", "Longer window", "Seconds, not shorter than the window."),
    Field(
        "flagged",
        "Flagged customers",
        "What their flag means here.",
        choices=(
            ("approval", "wait for approval"),
            ("long_window", "get the longer window"),
            ("same", "are like everybody"),
        ),
    ),
    Field(
        "first_of_kind",
        "First of its kind",
        "For a customer, or by an agent, among the latest 10000 of either; one that was cancelled, "
        "rejected or failed was none.",
        choices=(("approval", "waits for approval"), ("same", "is like every other")),
    ),
    Field(
        "likely_duplicate",
        "Likely duplicate",
        "Same order, kind and amount within a day.",
        choices=(
            ("approval", "waits for approval"),
            ("long_window", "gets the longer window"),
            ("same", "is marked"),
        ),
        only="amount",
    ),
    Field(
        "burst",
        "Most by one agent",
        f"Like 20/60: 20 within 60 seconds; empty for no limit. {_BEYOND}",
        number=False,
    ),
    Field(
        "spend",
        "Most money by one agent",
        "Like 500000:INR/3600, in minor units within 3600 seconds, several currencies with "
        f"commas; others then wait for approval. {_BEYOND}",
        number=False,
        only="amount",
    ),
    Field(
        "desk_hours",
        "Desk hours",
        "Like Mon-Fri 09:00-18:00, Sat 10:00-14:00; or always. Windows count only then, by the "
        "desk's clock ({zone}). The window after an approval is not among them.",
        number=False,
    ),
    Field(
        "needs_eyes",
        "When nobody has seen it",
        "What becomes of one that was on nobody's screen when its time comes. "
        "Holds for what is drafted from now on.",
        choices=(("no", "it runs"), ("yes", "it is held for a person")),
    ),
    Field("max_attempts", "Attempts", "How often it is tried when nothing happened, 1 to 100."),
    Field(
        "max_overdue_seconds",
        "Overdue at most",
        "Seconds, 1 to 604800. What was due for longer without being run, say while the desk was "
        "down, is held for a person. Holds for what is drafted from now on.",
    ),
    Field(
        "on_parent_failed",
        "When what it depends on has failed",
        "What becomes of one that waits for another action.",
        choices=(("cancel", "it is cancelled"), ("hold", "it is held for a person")),
    ),
    Field(
        "reservation_seconds",
        "Reservation",
        "Seconds for which stock stays reserved; longer than window, margin and lease together.",
        only="reserves",
    ),
    Field(
        "allow_no_undo",
        "Without an undo",
        "Whether one that cannot be taken back may run without approval.",
        choices=(("no", "waits for approval"), ("yes", "may run")),
        only="no_undo",
    ),
)


def more(kind: Kind, zone: str) -> list[Field]:
    """Those of MORE that mean something for this kind, the desk's zone named in their hints."""
    return [
        replace(field, hint=field.hint.replace("{zone}", zone))
        for field in MORE
        if not field.only or kind.says(field.only)
    ]


def modes(kind: Kind) -> list[tuple[str, str, str]]:
    """Value, word and sentence; a way back cannot be switched off."""
    return [
        (mode.value, *words)
        for mode, words in MODES.items()
        if mode is not Mode.OFF or kind.repairs is None
    ]


def texts(row: Mapping[str, object]) -> dict[str, str]:
    """A row as the form holds it: `""` for no limit."""
    return {key: "" if value is None else str(value) for key, value in row.items()}


def label(key: str) -> str:
    """The form's words for a key."""
    known = {field.key: field.label for field in (*FIRST, *MORE)} | {"mode": "Mode"}
    return known.get(key, key)
