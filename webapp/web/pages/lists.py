"""Lists of who and what there is; adding goes by the command line."""

from webapp.services import agents, people, stock
from webapp.web.current import desk
from webapp.web.pages.admin import pages, settings_page


@pages.get("/people")
def everyone() -> str:
    found = people.everyone(desk())
    return settings_page("settings/people.html", "/settings/people", people=found)


@pages.get("/agents")
def programs() -> str:
    found = agents.everyone(desk())
    return settings_page("settings/agents.html", "/settings/agents", agents=found)


@pages.get("/stock")
def items() -> str:
    found = stock.show(desk())
    return settings_page("settings/stock.html", "/settings/stock", items=found)
