"""The policy table: what each kind may do by itself, and who changed it when."""

from dataclasses import dataclass

from flask import flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Changed, Invalid, NotFound
from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.policy import Mode, Policy
from webapp.services import settings, versions
from webapp.web.current import caller, desk
from webapp.web.pages import policy_form
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.pages.kind_page import (
    MOST,
    by_key,
    kind_page,
    preview_part,
    saved,
    scheduled,
)
from webapp.web.pages.policy_words import said, sentences
from webapp.web.problems import status_of

_OURS = ("csrf_token", "seen", "hold_scheduled")
_CHANGES = 10


@dataclass(frozen=True, slots=True)
class Line:
    """One kind in the overview."""

    kind: Kind
    policy: Policy
    words: str


@pages.get("/")
def overview() -> str:
    table = desk().table()
    lines = [
        Line(kind, table.row(name), sentences(kind, table.row(name))[0])
        for name, kind in KINDS.items()
    ]
    return settings_page(
        "settings/overview.html",
        "/settings/",
        lines=[line for line in lines if line.kind.name in DRAFTED],
        repairs=[line for line in lines if line.kind.name not in DRAFTED],
        changes=versions.changes(desk(), _CHANGES),
        names=called(),
        kinds=KINDS,
        label=policy_form.label,
        said=said,
    )


@pages.get("/<kind>")
def form(kind: str) -> str:
    return kind_page(kind)


@pages.post("/<kind>")
def change(kind: str) -> AnyResponse:
    """Saves, or shows the form again with all that was entered."""
    saved(kind)
    values = entered()
    off = values.get("mode") == Mode.OFF
    hold = off and "hold_scheduled" in request.form
    seen = request.form.get("seen")
    try:
        after, held = settings.change(
            desk(), kind, values, caller().actor, hold_scheduled=hold, seen=seen
        )
    except (Invalid, Changed) as problem:
        return refused(kind, problem, values, seen)
    flash(f"Saved. {sentences(KINDS[kind], after)[0]}", "good")
    if hold:
        flash(f"Held: {_count(len(held))} scheduled.", "info")
    else:
        _say_what_still_runs(kind, after)
    return redirect(f"/settings/{kind}", 303)


@pages.post("/<kind>/preview")
def look(kind: str) -> str:
    """The form with what was entered and what it would do, or that alone (`?part=1`)."""
    saved(kind)
    values = entered()
    if "part" in request.args:
        return preview_part(kind, values)
    return kind_page(kind, values, seen=request.form.get("seen"))


@pages.post("/<kind>/restore")
def restore(kind: str) -> AnyResponse:
    """Puts an earlier version back, as a change of its own."""
    saved(kind)
    text = request.form.get("version", "")
    try:
        if not (text.isascii() and text.isdigit() and len(text) < 19):
            raise NotFound(f"There is no version {text[:20]!r} of {kind}.")
        after = versions.restore(
            desk(), kind, int(text), caller().actor, seen=request.form.get("seen")
        )
    except (Invalid, Changed) as problem:
        return refused(kind, problem)
    flash(f"Restored. {sentences(KINDS[kind], after)[0]}", "good")
    _say_what_still_runs(kind, after)
    return redirect(f"/settings/{kind}", 303)


def refused(
    kind: str,
    problem: Invalid | Changed,
    values: dict[str, str] | None = None,
    seen: str | None = None,
) -> AnyResponse:
    """The form again, with what is wrong at its field, or with what somebody else changed."""
    if isinstance(problem, Invalid):
        errors = by_key(problem) or {"mode": problem.detail}
        return make_response(kind_page(kind, values, errors=errors, seen=seen), status_of(problem))
    return make_response(kind_page(kind, values, stale=True), status_of(problem))


def _say_what_still_runs(kind: str, after: Policy) -> None:
    if after.mode is Mode.OFF and (left := len(scheduled(kind))):
        flash(f"{_count(left)} still scheduled, and will run. Save once more to hold them.", "warn")


def entered() -> dict[str, str]:
    """What the form sent, key by key."""
    return {key: text.strip() for key, text in request.form.items() if key not in _OURS}


def _count(found: int) -> str:
    number = f"{found}{'+' if found == MOST else ''}"
    return f"{number} {'is' if found == 1 else 'are'}"
