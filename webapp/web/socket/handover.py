"""Takes a connection out of the hands of the WSGI server, and leaves it none the wiser."""

import contextlib
import os
import socket
from typing import Any

SEND_BUFFER = 65_536
"""Small, so that a reader that stopped is soon noticed and the kernel holds little for it."""
UNACKNOWLEDGED_MS = 20_000
"""A peer that vanished without a word is given up after this long."""


def take_over(environ: dict[str, Any]) -> socket.socket:
    """The request's TCP connection as a socket of our own, non-blocking.

    The server's descriptor is made to stand for a blank, unconnected socket. Whatever the server
    still does to it (gunicorn shuts it down, lingers up to 2 s and closes it) fails or ends at
    once and reaches nobody; a duplicate alone would be shut down with it. Raises KeyError where
    the server offers no socket.
    """
    theirs: socket.socket = environ["gunicorn.socket"]
    with socket.socket(theirs.family, socket.SOCK_STREAM) as blank:
        ours = theirs.dup()
        os.dup2(blank.fileno(), theirs.fileno(), inheritable=False)
    ours.setblocking(False)
    with contextlib.suppress(OSError):  # tuning: not every platform and family has these
        ours.setsockopt(socket.SOL_SOCKET, socket.SO_SNDBUF, SEND_BUFFER)
        ours.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
        if hasattr(socket, "TCP_USER_TIMEOUT"):
            ours.setsockopt(socket.IPPROTO_TCP, socket.TCP_USER_TIMEOUT, UNACKNOWLEDGED_MS)
    return ours
