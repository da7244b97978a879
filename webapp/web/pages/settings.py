"""The policy table: what each kind may do by itself, and who changed it when."""

from collections.abc import Mapping
from dataclasses import dataclass

from flask import flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Changed, Invalid, NotFound
from webapp.domain.kinds.base import Kind
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.policy import Mode, Policy
from webapp.domain.states import State
from webapp.services import read, settings
from webapp.web.current import caller, desk
from webapp.web.pages import policy_form
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.pages.policy_words import sentences
from webapp.web.problems import status_of

_OURS = ("csrf_token", "seen", "hold_scheduled")
_CHANGES = 10
_MOST = 200


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
        changes=settings.changes(desk(), _CHANGES),
        names=called(),
        kinds=KINDS,
        label=policy_form.label,
    )


@pages.get("/<kind>")
def form(kind: str) -> str:
    row = _row(kind)
    return _form(KINDS[kind], row, _texts(row))


@pages.post("/<kind>")
def change(kind: str) -> AnyResponse:
    """Saves, or shows the form again with all that was entered."""
    row = _row(kind)
    values = {key: text.strip() for key, text in request.form.items() if key not in _OURS}
    off = values.get("mode") == Mode.OFF
    hold = off and "hold_scheduled" in request.form
    seen = request.form.get("seen")
    try:
        after, held = settings.change(
            desk(), kind, values, caller().actor, hold_scheduled=hold, seen=seen
        )
    except Invalid as problem:
        errors = {error.pointer.removeprefix("/"): error.detail for error in problem.errors}
        html = _form(KINDS[kind], row, _texts(row) | values, errors=errors, seen=seen)
        return make_response(html, status_of(problem))
    except Changed as problem:
        html = _form(KINDS[kind], _row(kind), _texts(_row(kind)) | values, stale=True)
        return make_response(html, status_of(problem))
    flash(f"Saved. {sentences(KINDS[kind], after)[0]}", "good")
    if hold:
        flash(f"Held: {_count(len(held))} scheduled.", "info")
    elif off and (left := len(_scheduled(kind))):
        flash(f"{_count(left)} still scheduled, and will run. Save once more to hold them.", "warn")
    return redirect(f"/settings/{kind}", 303)


def _form(
    kind: Kind,
    row: Policy,
    values: Mapping[str, str],
    *,
    errors: Mapping[str, str] | None = None,
    seen: str | None = None,
    stale: bool = False,
) -> str:
    now = _texts(row)
    zone = desk().settings.timezone
    more = policy_form.more(kind, zone)
    errors = errors or {}
    fields = {"mode", *(field.key for field in (*policy_form.FIRST, *more))}
    return settings_page(
        "settings/kind.html",
        "/settings/",
        kind=kind,
        words=sentences(kind, row, zone),
        modes=policy_form.modes(kind),
        first=policy_form.FIRST,
        more=more,
        values=values,
        saved=now,
        errors=errors,
        elsewhere=[f"{key}: {words}" for key, words in errors.items() if key not in fields],
        differing=[
            (key, now.get(key), text) for key, text in values.items() if now.get(key) != text
        ],
        stale=stale,
        last=next((one for one in settings.changes(desk(), _MOST) if one.kind == kind.name), None),
        names=called(),
        label=policy_form.label,
        seen=seen or settings.mark(row),
        scheduled=len(_scheduled(kind.name)),
        most=_MOST,
    )


def _row(kind: str) -> Policy:
    if kind not in KINDS:
        raise NotFound(f"There is no kind {kind[:60]!r}.")
    return desk().table().row(kind)


def _texts(row: Policy) -> dict[str, str]:
    return policy_form.texts(row.model_dump(mode="json"))


def _scheduled(kind: str) -> list[str]:
    found = read.newest(desk(), caller(), limit=_MOST, state=State.SCHEDULED, kind=kind)
    return [action.id for action in found]


def _count(found: int) -> str:
    number = f"{found}{'+' if found == _MOST else ''}"
    return f"{number} {'is' if found == 1 else 'are'}"
