"""Pages that the contract names and this version does not have yet."""

from flask import Blueprint

from webapp.domain.errors import NotBuilt

pages = Blueprint("not_built", __name__)


@pages.get("/history")
def history() -> str:
    raise NotBuilt("There is no page for what is over yet; GET /api/v1/actions lists it.")
