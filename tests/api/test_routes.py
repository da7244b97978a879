"""The table is the law: what it does not name does not start, what it names is there."""

import pytest
from flask import Blueprint, Flask

from tests.api.world import World
from webapp import app as composition
from webapp.domain.errors import DeskError
from webapp.services.desk import Desk
from webapp.web import routes
from webapp.web.openapi import CALLS
from webapp.web.problems import STATUS, status_of
from webapp.web.routes import API, TABLE, Who


def test_a_route_outside_the_table_refuses_to_start(
    still: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    hidden = Blueprint("hidden", __name__)

    @hidden.post("/approve-everything")
    def approve() -> str:
        return ""

    def also(app: Flask) -> None:
        app.register_blueprint(hidden)

    monkeypatch.setattr(composition, "init_security", also)
    with pytest.raises(RuntimeError, match="POST /approve-everything"):
        composition.create_app(still.desk)


def test_every_line_has_its_view(still: World) -> None:
    assert routes.without_view(still.app) == []


def test_no_line_stands_twice() -> None:
    lines = [(route.method, routes.pattern(route.path)) for route in TABLE]
    assert len(lines) == len(set(lines))


def test_only_these_are_for_anybody() -> None:
    """A new one is a decision, not a slip."""
    open_to_all = {route.path for route in TABLE if route.who is Who.ANYBODY}
    assert open_to_all == {
        "/api/openapi.json", "/api/docs", "/healthz", "/readyz", "/metrics", "/static/{filename}",
        "/login", "/s/{token}", "/s/{token}/objection", "/welcome/{token}",
    }  # fmt: skip


def test_every_call_is_described() -> None:
    there = {(route.method, route.path) for route in TABLE if route.path.startswith(API)}
    assert there == {(method, API + path) for method, path in CALLS}


def test_a_desk_without_a_secret_does_not_serve(still: World) -> None:
    bare = Desk(still.db, still.settings.model_copy(update={"secret_key": ""}))
    with pytest.raises(Exception, match="UNDO_DESK_SECRET_KEY"):
        composition.create_app(bare)


def _refusals(kind: type[DeskError]) -> list[type[DeskError]]:
    return [one for child in kind.__subclasses__() for one in (child, *_refusals(child))]


@pytest.mark.parametrize("refusal", _refusals(DeskError), ids=lambda kind: kind.__name__)
def test_every_refusal_has_a_status(refusal: type[DeskError]) -> None:
    assert status_of(refusal("why")) in STATUS.values()
    assert refusal("why").title
