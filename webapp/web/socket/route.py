"""`GET /feed/socket`: who may have one, and the handover to the broadcaster."""

import base64
import binascii
import threading
from collections.abc import Callable
from urllib.parse import urlsplit

from flask import Blueprint, Flask, Request, Response, abort, g, request
from flask_sock import Sock
from simple_websocket import Server

from webapp.web.socket.broadcaster import Broadcaster
from webapp.web.socket.handover import take_over
from webapp.web.socket.screen import Screen, Viewer

EXTENSION = "undo-desk-broadcaster"
"""Where `app.extensions` keeps the broadcaster, for who starts and stops it."""

_PORTS = {"http": 80, "https": 443}


class _NoThread(threading.Thread):
    """simple-websocket would read the socket in a thread of its own; the broadcaster does."""

    def start(self) -> None:
        """Doesn't."""


def init_socket(
    app: Flask,
    broadcaster: Broadcaster,
    identify: Callable[[Request], Viewer | None],
    *,
    base_url: str | None = None,
    path: str = "/feed/socket",
) -> None:
    """Adds the route. `identify` says who is signed in, None for nobody.

    Refused before the handshake: 403 another origin than the request's own or `base_url`'s, or
    none; 401 nobody signed in; 426 no WebSocket of version 13; 400 a broken handshake; 503 as
    many screens as there is room for, or a server that is stopping.
    """
    app.config["SOCK_SERVER_OPTIONS"] = {"thread_class": _NoThread}
    app.extensions[EXTENSION] = broadcaster
    allowed = origin_of(base_url) if base_url else None
    blueprint = Blueprint("feed_socket", __name__)

    @blueprint.before_request
    def check() -> Response | None:
        if not _is_upgrade(request):
            return _upgrade_required()
        origin = origin_of(request.headers.get("Origin", ""))
        if origin is None or origin not in (origin_of(request.host_url), allowed):
            abort(403, "The feed's socket is for this desk's own pages.")
        viewer = identify(request)
        if viewer is None:
            abort(401, "Sign in to watch the feed.")
        if not _is_sound(request):
            abort(400, "The WebSocket handshake is broken.")
        if not broadcaster.accepting:
            abort(503, "No more screens can be served now.")
        # compression per screen would undo building a frame once
        request.environ.pop("HTTP_SEC_WEBSOCKET_EXTENSIONS", None)
        g.feed_viewer = viewer
        return None

    def feed(_handshaken: Server) -> None:
        after = request.args.get("after") or None
        broadcaster.add(take_over(request.environ), Screen(g.feed_viewer, after))

    blueprint.add_url_rule(path, "plain", _upgrade_required)
    Sock().route(path, bp=blueprint, endpoint="socket")(feed)
    app.register_blueprint(blueprint)


def origin_of(url: str) -> tuple[str, str, int] | None:
    """Scheme, host and port of a URL (RFC 6454). None for what has none of its own."""
    try:
        parts = urlsplit(url)
        port = parts.port or _PORTS[parts.scheme]
    except (ValueError, KeyError):
        return None
    return (parts.scheme, parts.hostname, port) if parts.hostname else None


def _is_upgrade(asked: Request) -> bool:
    wanted = {token.strip().lower() for token in asked.headers.get("Connection", "").split(",")}
    return (
        "upgrade" in wanted
        and asked.headers.get("Upgrade", "").lower() == "websocket"
        and asked.headers.get("Sec-WebSocket-Version") == "13"
    )


def _is_sound(asked: Request) -> bool:
    """RFC 6455, 4.2.1, as far as flask-sock would answer 500 to it; and a server with a socket."""
    try:
        key = base64.b64decode(asked.headers.get("Sec-WebSocket-Key", ""), validate=True)
    except (binascii.Error, ValueError):
        return False
    return (
        len(key) == 16
        and asked.method == "GET"
        and asked.environ.get("SERVER_PROTOCOL") == "HTTP/1.1"
        and bool(asked.headers.get("Host"))
        and not asked.content_length
        and "Transfer-Encoding" not in asked.headers
        and "gunicorn.socket" in asked.environ
    )


def _upgrade_required() -> Response:
    """RFC 9110, 15.5.22."""
    return Response(
        "This address speaks WebSocket version 13 only.\n",
        426,
        {"Upgrade": "websocket", "Connection": "Upgrade", "Sec-WebSocket-Version": "13"},
        mimetype="text/plain",
    )
