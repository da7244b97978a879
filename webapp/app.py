"""The composition root: one Flask application for one desk."""

from flask import Flask

from webapp.config import ConfigError, variable
from webapp.paths import STATIC, TEMPLATES
from webapp.services.desk import Desk
from webapp.web import ops
from webapp.web.api import api
from webapp.web.api.events import EXTENSION as WAITERS
from webapp.web.api.waiters import Waiters
from webapp.web.auth import init_auth
from webapp.web.current import EXTENSION
from webapp.web.live import init_live
from webapp.web.pages import init_pages
from webapp.web.problems import init_problems
from webapp.web.routes import not_in_table
from webapp.web.security import init_security

BODY_AT_MOST = 1024 * 1024
"""Bytes of a request's body."""


def create_app(desk: Desk) -> Flask:
    """The application, with a broadcaster for the feed's socket that whoever serves it starts.

    Starts no thread. Raises ConfigError without a secret key, RuntimeError where a route stands
    in no line of `web/routes.py`.
    """
    settings = desk.settings
    if not settings.secret_key:
        raise ConfigError(f"{variable('secret_key')}: required to serve pages")
    app = Flask(__name__, template_folder=str(TEMPLATES), static_folder=None)
    app.config.update(
        SECRET_KEY=settings.secret_key,
        SECRET_KEY_FALLBACKS=list(settings.secret_key_fallbacks),
        MAX_CONTENT_LENGTH=BODY_AT_MOST,
        # Flask's own cookie: the CSRF secret, never the sign-in
        SESSION_COOKIE_NAME="ud_csrf",
        SESSION_COOKIE_SAMESITE="Lax",
        SESSION_COOKIE_SECURE=settings.base_url.startswith("https://"),
        PROVIDE_AUTOMATIC_OPTIONS=False,
    )
    # by hand, because Flask's own rule would take OPTIONS whatever the setting above says
    app.static_folder = str(STATIC)
    app.add_url_rule("/static/<path:filename>", "static", app.send_static_file)
    app.json.sort_keys = False  # type: ignore[attr-defined]  # bodies keep the contract's order
    app.jinja_env.trim_blocks = app.jinja_env.lstrip_blocks = True
    app.extensions[EXTENSION] = desk
    app.extensions[WAITERS] = Waiters(desk.db.wakeup)
    init_security(app)
    init_problems(app)
    init_auth(app)
    app.register_blueprint(api)
    app.register_blueprint(ops.ops)
    init_pages(app)
    init_live(app)
    if left := not_in_table(app):
        raise RuntimeError(f"not in web/routes.py: {', '.join(left)}")
    return app
