"""What an exchange may reserve, and the form that sets it."""

from flask import flash, make_response, redirect, request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Invalid
from webapp.services import admin_log, stock
from webapp.store.admin_log import Area
from webapp.web.current import caller, desk
from webapp.web.pages.admin import called, pages, settings_page
from webapp.web.problems import status_of

_HERE = "/settings/stock"


@pages.get("/stock")
def items() -> str:
    return _page({}, None)


@pages.post("/stock")
def put() -> AnyResponse:
    """Sets what is available of one item."""
    values = {key: request.form.get(key, "").strip() for key in ("sku", "available")}
    try:
        stock.put(desk(), values["sku"], values["available"], caller().actor)
    except Invalid as problem:
        return make_response(_page(values, problem.detail), status_of(problem))
    flash(f"{values['sku']}: {values['available']} available.", "good")
    return redirect(_HERE, 303)


def _page(values: dict[str, str], error: str | None) -> str:
    return settings_page(
        "settings/stock.html",
        _HERE,
        items=stock.show(desk()),
        values=values,
        error=error,
        log=admin_log.latest(desk(), Area.STOCK),
        names=called(),
    )
