"""Pages that the contract names and this version does not have yet."""

from flask import Blueprint

from webapp.domain.errors import NotBuilt

pages = Blueprint("not_built", __name__)


@pages.get("/reports")
def reports() -> str:
    raise NotBuilt("There are no reports yet.")
