"""Following the desk: every transition in order, waiting for the next one."""

import threading
from time import monotonic, sleep
from typing import cast

from flask import Response, current_app, jsonify

from webapp.services.follow import follow
from webapp.store.events import BEGINNING
from webapp.web.api.blueprint import api
from webapp.web.api.query import Following, read_query
from webapp.web.api.waiters import Waiters
from webapp.web.current import caller, desk
from webapp.web.shape import event_json

EXTENSION = "undo-desk-waiters"
STOPPING = "undo-desk-stopping"
"""`serve` keeps an Event under this name, set when the process is told to end."""

_ROUND = 0.5
"""Seconds: how soon a process that ends is noticed, and events that came without a wake-up."""
_REST = 0.02
"""Seconds between two looks: a busy desk wakes a waiting request once, not for each commit."""


@api.get("/events")
def events() -> Response:
    """Events behind `after`, at once or when the first comes; `cursor` is where to go on.

    Where too many wait already it answers at once with what there is, and Retry-After.
    """
    asked = read_query(Following)
    until = monotonic() + asked.wait
    cursor = BEGINNING if asked.after is None else asked.after
    waiters = cast(Waiters, current_app.extensions[EXTENSION])
    stopping = cast(threading.Event | None, current_app.extensions.get(STOPPING))
    with waiters.place(caller().actor) as room:
        while True:
            seen = waiters.round
            found = follow(desk(), caller(), cursor, asked.limit)
            cursor = found.cursor
            left = until - monotonic()
            if found.events or not room or left <= 0 or (stopping and stopping.is_set()):
                break
            waiters.wait(seen, min(left, _ROUND))
            sleep(min(_REST, left))
    answer = jsonify(events=[event_json(one) for one in found.events], cursor=cursor)
    if asked.wait and not room and not found.events:
        answer.headers["Retry-After"] = "1"
    return answer
