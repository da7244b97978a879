"""What every page has: the bar, the pauses that stand, words for times and for others' text."""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, cast

from flask import (
    Flask,
    g,
    get_flashed_messages,
    has_request_context,
    render_template,
    request,
    stream_template,
)
from flask_wtf.csrf import generate_csrf
from markupsafe import Markup

from webapp.domain.errors import Unavailable
from webapp.domain.kinds.registry import KINDS
from webapp.domain.times import to_rfc3339
from webapp.services import approvals, pause, read
from webapp.store.lineage import PUT_BACK, PUT_BACK_BY
from webapp.store.pauses import Pause
from webapp.web.current import EXTENSION, csp_nonce, desk, preferences
from webapp.web.moments import Zone, countdown, span, zone_named
from webapp.web.visible import plain, shortened, visible

_ZONE = "undo-desk-zone"


@dataclass(frozen=True, slots=True)
class Item:
    """A page in the bar; `role` None: for everybody who is signed in."""

    label: str
    path: str
    role: str | None = None
    counts: bool = False
    """How many wait there stands beside it."""


NAV = (
    Item("Feed", "/"),
    Item("Approvals", "/approvals", counts=True),
    Item("History", "/history"),
    Item("Reports", "/reports"),
    Item("Settings", "/settings/", "admin"),
)


@dataclass(frozen=True, slots=True)
class Standing:
    """A pause as the banner shows it."""

    id: int
    scope: str
    """`everything`, `kind:NAME`, `agent:NAME`; with both, neither of them alone."""
    what: str
    by: str
    at: int
    reason: str
    put_back: bool
    """By the desk itself, which found a database that is not the one it left."""


def init_layout(app: Flask) -> None:
    """Filters and the bar's items for all templates, those of live frames included."""
    app.extensions[_ZONE] = zone_named(app.extensions[EXTENSION].settings.timezone)

    def clock(at: int) -> str:
        return zone_of(app).clock(at)

    def moment(at: int, form: str = "clock") -> Markup:
        return zone_of(app).marked(at, form)

    filters: Mapping[str, Callable[..., object]] = {
        "visible": visible,
        "plain": plain,
        "shortened": shortened,
        "countdown": countdown,
        "span": span,
        "clock": clock,
        "moment": moment,
        "rfc3339": to_rfc3339,
        "initials": initials,
    }
    app.jinja_env.filters.update(filters)
    app.context_processor(_bar)


def zone_of(app: Flask) -> Zone:
    """The zone that who asks has chosen; else, and for live frames, which all share, the desk's.

    The browser then shows it in the chosen zone, or in its own.
    """
    chosen = preferences().zone if has_request_context() else None
    return zone_named(chosen) if chosen else cast(Zone, app.extensions[_ZONE])


def page(template: str, **values: Any) -> str:
    """A page for whoever is signed in, with the time and the pauses that stand."""
    return render_template(
        template,
        server_now=desk().now(),
        pauses=standing(),
        csrf=generate_csrf(),
        **values,
    )


def stream_page(template: str, **values: Any) -> Iterator[str]:
    """`page`, part by part. Runs in the request's context until it is exhausted."""
    # Once sending has begun no header changes: what sets one is asked for before.
    csp_nonce()
    get_flashed_messages()
    return stream_template(
        template,
        server_now=desk().now(),
        pauses=standing(),
        csrf=generate_csrf(),
        **values,
    )


def standing() -> list[Standing]:
    """What is paused now, oldest first."""
    pauses = pause.standing(desk())
    names = read.names(desk()) if pauses else {}
    return [
        Standing(
            one.id,
            _scope(one),
            _what(one),
            names.get(one.paused_by, one.paused_by),
            one.paused_at,
            one.reason,
            (one.reason, one.paused_by) == (PUT_BACK, PUT_BACK_BY),
        )
        for one in pauses
    ]


def initials(name: str) -> str:
    """`Meera Kumari` -> `MK`: at most two letters for the bar."""
    return "".join(word[0] for word in name.split()[:2]).upper() or "?"


def _scope(one: Pause) -> str:
    parts = (("kind", one.kind), ("agent", one.agent))
    return " ".join(f"{name}:{value}" for name, value in parts if value) or "everything"


def _what(one: Pause) -> str:
    kind = KINDS[one.kind].label if one.kind else None
    found = [part for part in (kind, one.agent) if part]
    return " by ".join(found) or "Everything is"


def _bar() -> dict[str, Any]:
    person = g.get("person")
    if person is None:
        return {"nav": (), "preferences": preferences}
    shown = [item for item in NAV if item.role in (None, person.role)]
    return {
        "nav": [(item, _is_here(item)) for item in shown],
        "waiting": _waiting,
        "preferences": preferences,
    }


def _waiting() -> str:
    """How many actions wait for approval, in few characters; nothing where nothing waits."""
    try:
        number = approvals.waiting(desk())
    except Unavailable:
        return ""  # a page that says so has this bar too
    if number >= approvals.COUNTED:
        return f"{approvals.COUNTED - 1}+"
    return str(number or "")


def _is_here(item: Item) -> bool:
    return request.path == item.path or (item.path != "/" and request.path.startswith(item.path))
