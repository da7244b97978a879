"""The pauses that stand, and who paused and resumed what. Ending one is the banner's own form."""

from webapp.services import admin_log
from webapp.services.pause import AREA
from webapp.web.current import desk
from webapp.web.pages.admin import called, pages, settings_page


@pages.get("/pauses")
def paused() -> str:
    return settings_page(
        "settings/pauses.html",
        "/settings/pauses",
        log=admin_log.latest(desk(), AREA),
        names=called(),
    )
