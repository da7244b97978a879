"""One kind's page: the form, what it would do, what is missing, and its versions."""

import shlex
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flask import Response, render_template

from webapp.domain.errors import Invalid, NotFound
from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import KINDS
from webapp.domain.policy import Policy, default_policy
from webapp.domain.states import State
from webapp.services import gate, preview, read, settings, versions
from webapp.web.current import caller, desk
from webapp.web.pages import policy_form
from webapp.web.pages.admin import called, settings_page, streamed
from webapp.web.pages.policy_words import said, sentences
from webapp.web.pages.preview_words import Line, immediate, line, warnings

MOST = 200
"""Scheduled actions that are counted."""
_VERSIONS = 10
_SAID = ("mode", "window_seconds")
"""Keys that the command names although they have their defaults."""


def kind_page(
    kind: str,
    values: Mapping[str, str] | None = None,
    *,
    errors: Mapping[str, str] | None = None,
    seen: str | None = None,
    stale: bool = False,
) -> str:
    """The page with what was entered (`values`), or as it is saved. Raises NotFound.

    `errors` by key: nothing was saved. `stale`: somebody else had saved meanwhile. `seen` names
    the row that the form began from.
    """
    shown = _shown(kind, values, errors, seen, stale)
    return settings_page("settings/kind.html", "/settings/", **shown)


def try_page(
    kind: str, values: Mapping[str, str], seen: str | None, steps: Iterator[object]
) -> Response:
    """The page with what was entered, sent as the steps of its replay arrive."""
    shown = _shown(kind, values, None, seen, False)
    return streamed("settings/kind.html", "/settings/", replay=steps, **shown)


def _shown(
    kind: str,
    values: Mapping[str, str] | None,
    errors: Mapping[str, str] | None,
    seen: str | None,
    stale: bool,
) -> dict[str, Any]:
    row = saved(kind)
    now = texts(row)
    entered = now | dict(values or {})
    found = KINDS[kind]
    zone = desk().settings.timezone
    more = policy_form.more(found, zone)
    fields = {"mode", *(field.key for field in (*policy_form.FIRST, *more))}
    last = versions.changes(desk(), _VERSIONS, kind)
    errors = errors or {}
    return {
        "kind": found,
        "words": sentences(found, row, zone),
        "modes": policy_form.modes(found),
        "first": policy_form.FIRST,
        "more": more,
        "values": entered,
        "command": _command(kind, now),
        "errors": errors,
        "elsewhere": [f"{key}: {words}" for key, words in errors.items() if key not in fields],
        "differing": _differing(now, entered),
        "stale": stale,
        "look": _look(found, now, entered, errors),
        "immediate": immediate(found),
        "steps": gate.steps(desk(), kind),
        "versions": last,
        "older": len(last) == _VERSIONS,
        "names": called(),
        "label": policy_form.label,
        "said": said,
        "seen": seen or settings.mark(row),
        "scheduled": len(scheduled(kind)),
        "most": MOST,
    }


def preview_part(kind: str, values: Mapping[str, str]) -> str:
    """The preview alone, for a page that has the rest. Raises NotFound."""
    now = texts(saved(kind))
    look = _look(KINDS[kind], now, now | dict(values), {})
    return render_template("settings/_preview.html", look=look)


def saved(kind: str) -> Policy:
    """The row as it stands. Raises NotFound."""
    if kind not in KINDS:
        raise NotFound(f"There is no kind {kind[:60]!r}.")
    return desk().table().row(kind)


def texts(row: Policy) -> dict[str, str]:
    """A row as the form holds it."""
    return policy_form.texts(row.model_dump(mode="json"))


def scheduled(kind: str) -> list[str]:
    """Ids of what is scheduled of this kind, MOST at most."""
    found = read.newest(desk(), caller(), limit=MOST, state=State.SCHEDULED, kind=kind)
    return [action.id for action in found]


def by_key(problem: Invalid) -> dict[str, str]:
    """What is wrong, by the key of its field."""
    return {error.pointer.removeprefix("/"): error.detail for error in problem.errors}


@dataclass(frozen=True, slots=True)
class Look:
    """What the settings in a form would do. `wrong` is what keeps it from being shown."""

    tried: bool
    """They are not the saved ones."""
    lines: list[Line]
    warnings: list[str]
    wrong: list[str]


def _look(
    kind: Kind, now: Mapping[str, str], entered: Mapping[str, str], errors: Mapping[str, str]
) -> Look:
    tried = entered != now
    try:
        policy = settings.tried(desk(), kind.name, entered)
    except Invalid as problem:
        found = errors or by_key(problem)
        wrong = [f"{policy_form.label(key)}: {words}" for key, words in found.items()]
        return Look(tried, [], [], wrong)
    seen = preview.look(desk(), kind.name, policy)
    lines = [line(kind, case, eyes=policy.needs_eyes) for case in seen.cases]
    return Look(tried, lines, list(warnings(kind, policy, seen.views)), [])


def _command(kind: str, now: Mapping[str, str]) -> list[str]:
    """The saved row as `settings set` takes it: another desk that begins anew gets the same."""
    usual = texts(default_policy(kind))
    said = {key: text for key, text in now.items() if key in _SAID or text != usual[key]}
    return [f"{key}={shlex.quote(text or 'none')}" for key, text in said.items()]


def _differing(now: Mapping[str, str], entered: Mapping[str, str]) -> list[tuple[str, str, str]]:
    return [(key, now.get(key, ""), text) for key, text in entered.items() if now.get(key) != text]
