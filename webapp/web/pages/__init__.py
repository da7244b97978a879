"""Pages for people. Each module is one page; what all of them share stands in `layout`."""

from flask import Flask

from webapp.web.pages import action, feed, layout, not_built, pauses, sign_in


def init_pages(app: Flask) -> None:
    """Adds the pages and what their templates use. The desk must stand in `app.extensions`."""
    layout.init_layout(app)
    for page in (feed, action, pauses, sign_in, not_built):
        app.register_blueprint(page.pages)
