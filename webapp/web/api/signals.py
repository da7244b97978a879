"""Telling the desk that the world changed: named by the contract, not built yet."""

from typing import NoReturn

from webapp.domain.errors import NotBuilt
from webapp.web.api.blueprint import api


@api.post("/signals")
def signal() -> NoReturn:
    """501."""
    raise NotBuilt("Signals are not built yet: hold the actions one by one.")
