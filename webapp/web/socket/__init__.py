"""The feed's socket: a route that hands its connection over, and one thread that serves them all.

Reading order: `source` (what is pulled), `screen`, `broadcaster`, `catchup`, `link`; `route` for
who may connect, `handover` for how a connection leaves gunicorn.
"""

from webapp.web.socket.broadcaster import Broadcaster
from webapp.web.socket.pace import Pace
from webapp.web.socket.route import EXTENSION, init_socket
from webapp.web.socket.screen import Screen, Viewer
from webapp.web.socket.source import Change, FeedSource, StaleCursor

__all__ = [
    "EXTENSION",
    "Broadcaster",
    "Change",
    "FeedSource",
    "Pace",
    "Screen",
    "StaleCursor",
    "Viewer",
    "init_socket",
]
