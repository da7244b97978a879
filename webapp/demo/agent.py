"""The simulated agent: plays scenes at a steady rate, about one in six of them a mistake."""

import threading
from collections import deque
from collections.abc import Callable

from webapp.demo.client import Client
from webapp.demo.mistakes import MISTAKES
from webapp.demo.scenes import SCENES, Cancel, Draft, Play, Rest, Scene, Stage

MISTAKEN = 1 / 6
"""The share of scenes that are wrong on purpose."""
_AT_ONCE = 3
"""Scenes under way before a new one may begin, so that dependants come soon after."""


class Agent:
    """Drafts `per_minute` actions a minute, from `start()` to `stop()`; none where it is 0."""

    def __init__(
        self,
        client: Client,
        stage: Stage,
        *,
        per_minute: float,
        opening: Callable[[Client, Stage], None] | None,
        stopped: threading.Event,
    ) -> None:
        """`opening` is played first, at once."""
        self._client = client
        self._stage = stage
        self._pause = 60 / per_minute if per_minute else None
        self._opening = opening
        self._stopped = stopped
        self._ready: deque[tuple[Scene, str | None]] = deque()
        self._resting: list[tuple[int, Scene]] = []
        self._drafts = 0
        self._thread = threading.Thread(target=self._run, name="demo-agent", daemon=True)

    def start(self) -> None:
        """Begins, in a thread of its own."""
        self._thread.start()

    def stop(self) -> None:
        """Drafts nothing new. Returns at once."""
        self._stopped.set()

    def _run(self) -> None:
        if self._opening is not None:
            self._opening(self._client, self._stage)
        if self._pause is None:
            return
        while not self._stopped.wait(self._pause):
            self._one_draft()

    def _one_draft(self) -> None:
        """Play on until something was drafted."""
        before = self._drafts
        while self._drafts == before and not self._stopped.is_set():
            scene, answer = self._next()
            self._step(scene, answer)

    def _next(self) -> tuple[Scene, str | None]:
        for due, scene in self._resting:
            if due <= self._drafts:
                self._resting.remove((due, scene))
                return scene, None
        if self._ready and (len(self._ready) >= _AT_ONCE or self._stage.random.random() < 0.6):
            return self._ready.popleft()
        return pick(self._stage)(self._stage), None

    def _step(self, scene: Scene, answer: str | None) -> None:
        try:
            step = scene.send(answer)
        except StopIteration:
            return
        match step:
            case Draft(body):
                self._drafts += 1
                self._ready.append((scene, self._client.draft(body)))
            case Cancel(action_id, reason):
                self._client.cancel(action_id, reason)
                self._ready.append((scene, None))
            case Rest(drafts):
                self._resting.append((self._drafts + drafts, scene))


def pick(stage: Stage) -> Play:
    """Some scene, by weight."""
    choice = MISTAKES if stage.random.random() < MISTAKEN else SCENES
    plays, weights = [play for play, _ in choice], [weight for _, weight in choice]
    return stage.random.choices(plays, weights)[0]
