"""Which pages are photographed: every GET of the route table that answers with one."""

from collections.abc import Iterator
from dataclasses import dataclass

from tests.shots.scene import Scene
from webapp.web.routes import TABLE, Answer

PARTS = frozenset({"/static/{filename}", "/feed/rows", "/feed/pauses", "/reports.csv"})
"""No pages of their own."""


@dataclass(frozen=True, slots=True)
class Shot:
    """One page: its name, its path, and who looks; None: nobody who is signed in."""

    name: str
    path: str
    who: str | None = "admin"


def shots(scene: Scene) -> Iterator[Shot]:
    """All of them, in the order of the index."""
    yield from (
        Shot("feed", "/"),
        Shot("feed of staff", "/", "staff"),
        Shot("feed without a match", "/?customer=nobody"),
        Shot("approvals", "/approvals"),
        *(Shot(f"action {how}", f"/actions/{one}") for how, one in scene.actions.items()),
        Shot("history", "/history"),
        Shot("history of a word", "/history?q=depot"),
        Shot("history without a match", "/history?q=nothing+has+this"),
        Shot("reports", "/reports"),
        Shot("reports of a wrong period", "/reports?from=tomorrow&to=2026-13-01"),
        Shot("pause", "/pause"),
        Shot("preferences", "/preferences"),
        Shot("settings", "/settings/"),
        *(
            Shot(f"settings {one}", f"/settings/{one}")
            for one in ("people", "agents", "stock", "customers", "pauses", "sandbox", "refund")
        ),
        Shot("settings ladder", "/settings/refund/ladder"),
        Shot("settings for staff", "/settings/", "staff"),
        *(Shot(f"status {how}", path, None) for how, path in scene.links.items()),
        Shot("status of nothing", "/s/nothing", None),
        Shot("sign in", "/login", None),
        Shot("welcome", scene.welcome, None),
        Shot("no such page", "/nowhere"),
        Shot("api", "/api/docs", None),
    )


def missing(scene: Scene) -> list[str]:
    """Routes of pages that no picture shows."""
    taken = [one.path for one in shots(scene)]
    return [
        route.path
        for route in TABLE
        if (route.method, route.answer) == ("GET", Answer.PAGE)
        and route.path not in PARTS
        and not any(_shows(route.path, path) for path in taken)
    ]


def _shows(route: str, path: str) -> bool:
    wanted, given = route.split("/"), path.partition("?")[0].split("/")
    return len(wanted) == len(given) and all(
        one.startswith("{") or one == other for one, other in zip(wanted, given, strict=True)
    )
