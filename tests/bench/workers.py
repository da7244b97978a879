"""The desk's own worker in a process of its own, with a connector that only notes the time."""

import time
from typing import Any

from webapp.config import Settings
from webapp.connectors.base import SETTLED, Effect, EffectRequest
from webapp.connectors.registry import connectors
from webapp.services.desk import Desk
from webapp.store.engine import Database
from webapp.worker import Worker


class Noting:
    """When each action's effect began, UTC nanoseconds by the host; otherwise it does nothing."""

    name = "noting"
    dedupes = True
    can_look_up = False

    def __init__(self) -> None:
        self.began: dict[str, int] = {}

    def send(self, request: EffectRequest) -> Effect:
        self.began[request.action_id] = time.time_ns()
        return Effect(SETTLED, request.key, {})

    def look_up(self, request: EffectRequest) -> Effect | None:
        del request
        return None

    def check(self) -> str | None:
        return None


def run(ready: Any, stop: Any, url: str, slots: int, allow: tuple[str, ...]) -> dict[str, int]:
    """Works until stopped: refunds at a `Noting`, whose notes it answers, the rest for real."""
    settings = Settings(database_url=url, webhook_allow=allow)
    desk, noting = Desk(Database(url), settings), Noting()
    worker = Worker(desk, {**connectors(settings), "refund": noting}, slots=slots)
    worker.start()
    ready.set()
    stop.wait()
    worker.stop()
    worker.join(30)
    desk.db.close()
    return noting.began
