"""The history: any action there ever was, found by what it was about or by any word of it."""

import re
from dataclasses import dataclass

from flask import Blueprint, Response, current_app, request

from webapp.domain.currencies import EXPONENTS
from webapp.domain.errors import FieldError, Invalid
from webapp.domain.filters import Filter, parse
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State
from webapp.services import history
from webapp.services.history import Page
from webapp.web.current import desk
from webapp.web.pages.layout import page
from webapp.web.pages.rendered import Rows
from webapp.web.rows import Row

pages = Blueprint("history", __name__)
_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.ASCII)


@dataclass(frozen=True, slots=True)
class Form:
    """The search form as it was sent, and what is wrong with it, by field."""

    asked: Filter
    errors: dict[str, str]

    def typed(self, name: str) -> str:
        """What stands in a field: as it was typed, right or wrong."""
        return request.args.get(name, "")

    def chosen(self, name: str) -> frozenset[str]:
        """The boxes that are ticked."""
        return frozenset(request.args.getlist(name))

    @property
    def narrowed(self) -> bool:
        """More is asked for than words."""
        return bool(self.errors.keys() - {"q"}) or self.asked != Filter(q=self.asked.q)


@pages.get("/history")
def show() -> Response:
    """At most `history.ROWS` rows; 400 where the address asks for what there is not."""
    try:
        asked, before = parse(request.args.to_dict(flat=False)), _before()
    except Invalid as problem:
        return Response(_page(Form(Filter(), _by_field(problem.errors)), None), status=400)
    return Response(_page(Form(asked, {}), history.find(desk(), asked, before)))


def _before() -> str | None:
    value = request.args.get("before")
    if value is not None and not _ID.fullmatch(value):
        raise Invalid.field("/before", "is no action's id")
    return value


def _by_field(errors: tuple[FieldError, ...]) -> dict[str, str]:
    return {one.pointer.removeprefix("/"): one.detail for one in errors}


def _page(form: Form, found: Page | None) -> str:
    return page(
        "history/page.html",
        form=form,
        found=found,
        rows=_rows(found) if found else [],
        kinds=[(one.name, one.label) for one in KINDS.values()],
        states=[(one.value, one.label) for one in State],
        currencies=list(EXPONENTS),
        first="before" not in request.args,
    )


def _rows(found: Page) -> list[Row]:
    render = Rows(current_app._get_current_object())  # type: ignore[attr-defined]
    return [render.row(one, found.around, desk().now()) for one in found.rows]
