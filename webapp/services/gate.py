"""Promise 12: no kind runs by itself before its way back exists and its connectors check out."""

from dataclasses import dataclass

from webapp.config import ConfigError
from webapp.connectors import registry
from webapp.connectors.base import Connector
from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Mode
from webapp.services.desk import Desk

RUNS = frozenset({Mode.WINDOW, Mode.IMMEDIATE})
"""Modes that let an action run without a person."""


@dataclass(frozen=True, slots=True)
class Step:
    """What a kind needs before it may run by itself; `missing` says what is wrong, None: nothing.

    `allow_no_undo` is no way around it: that is about single payloads of a kind that has a way
    back.
    """

    what: str
    missing: str | None


def steps(desk: Desk, kind: str) -> list[Step]:
    """Every step, done or not. May ask providers: never inside a transaction."""
    found = KINDS[kind]
    try:
        serving = registry.connectors(desk.settings)
    except ConfigError as problem:
        return [Step("its connector", str(problem))]
    mine = Step("its connector", _trouble(serving.get(kind)))
    # a way back needs none of its own: it is what people are left with
    return [mine] if found.repairs else [_way_back(found, serving.get(_back(found)), mine), mine]


def refusal(missing: list[str], mode: Mode) -> str:
    """The words of page, command and service."""
    return f"{mode} is not possible yet: {'; '.join(missing)}"


def missing(found: list[Step]) -> list[str]:
    """What is wrong, one line a step."""
    return [f"{step.what}: {step.missing}" for step in found if step.missing]


def _back(kind: Kind) -> str:
    return kind.way_back.kind if kind.way_back else ""


def _way_back(kind: Kind, connector: Connector | None, mine: Step) -> Step:
    what = "its way back"
    if kind.way_back is None or kind.way_back.kind not in KINDS:
        return Step(what, "there is none, so nothing could take it back")
    trouble = _trouble(connector)
    return Step(f"{what} ({kind.way_back.label})", None if trouble == mine.missing else trouble)


def _trouble(connector: Connector | None) -> str | None:
    if connector is None:
        return "no connector makes this effect"
    return registry.self_check(connector)
