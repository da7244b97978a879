"""The pauses that stand, and who paused and resumed what. Ending one is the banner's own form."""

from webapp.services import admin_log
from webapp.store.admin_log import Area
from webapp.web.current import desk
from webapp.web.pages.admin import called, pages, settings_page


@pages.get("/pauses")
def paused() -> str:
    return settings_page(
        "settings/pauses.html",
        "/settings/pauses",
        log=admin_log.latest(desk(), Area.PAUSES),
        names=called(),
    )
