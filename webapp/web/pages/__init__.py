"""Pages for people. Each module is one page; what all of them share stands in `layout`."""

from flask import Flask

from webapp.web.pages import (
    action,
    agents,
    approvals,
    case,
    customer_link,
    customers,
    feed,
    feed_bulk,
    history,
    history_try,
    ladder,
    layout,
    paused,
    pauses,
    people,
    preferences,
    reports,
    sandbox,
    settings,
    sign_in,
    status,
    stock,
    welcome,
)

_PAGES = (
    *(feed, feed_bulk, approvals, action, case, customer_link, pauses, history, reports),
    *(sign_in, welcome, preferences, status, settings, history_try, ladder, people, agents),
    *(stock, customers, paused, sandbox),
)


def init_pages(app: Flask) -> None:
    """Adds the pages and what their templates use. The desk must stand in `app.extensions`."""
    layout.init_layout(app)
    # those below /settings/ share one blueprint
    for blueprint in dict.fromkeys(page.pages for page in _PAGES):
        app.register_blueprint(blueprint)
