"""The live feed: its source, its broadcaster, its socket, joined."""

from collections.abc import Collection

from flask import Flask

from webapp.domain.times import to_rfc3339
from webapp.services import sign_in
from webapp.web.auth import viewer
from webapp.web.current import EXTENSION
from webapp.web.feed_source import DeskFeed
from webapp.web.pages.rendered import Rows
from webapp.web.socket import Broadcaster, init_socket


def init_live(app: Flask) -> None:
    """Adds `/feed/socket`; every commit wakes it. No thread runs before `Broadcaster.start`."""
    desk = app.extensions[EXTENSION]

    def sessions_ended(ids: Collection[str]) -> Collection[str]:
        return sign_in.ended(desk, ids)

    broadcaster = Broadcaster(
        DeskFeed(desk, Rows(app)),
        now=lambda: to_rfc3339(desk.now()),
        sessions_ended=sessions_ended,
    )
    init_socket(app, broadcaster, viewer, base_url=desk.settings.base_url)
    desk.db.wakeup.subscribe(lambda _due: broadcaster.wake())
