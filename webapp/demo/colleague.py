"""The simulated colleague: signs in as staff do, and settles what nobody else has settled."""

import logging
import re
import threading
from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from time import monotonic
from typing import Any

import requests

from webapp.demo.seed import Person

PATIENCE_SECONDS = 90.0
"""How long the visitor has for a decision of their own."""
AT_MOST = 5
"""Of more than so many rows that wait the oldest are settled at once."""
_LOOKS_EVERY = 5.0
_REJECTED = 0.35
_TIMEOUT = (3.0, 10.0)
_CSRF = re.compile(r'name="csrf-token" content="([^"]+)"')
_ROW = re.compile(
    r'<li class="action" data-action="([^"]+)" data-state="([^"]+)" data-version="(\d+)"'
    r"([^>]*)>(.*?)</li>",
    re.DOTALL,
)
_COMPENSATION = re.compile(r'data-compensation="([^"]+)"')
_REASONS = (
    "The customer has written again: it is settled otherwise",
    "The carrier has it already, it takes care of it",
    "Asked for a photo first",
)
_SORRY = "Please disregard our last message: it was sent by mistake. We are sorry."
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Waiting:
    """A row that needs a person, as the feed shows it."""

    id: str
    state: str
    version: int
    compensation: str | None


class Colleague:
    """Keeps short what waits for a person, from `start()` until `stopped` is set."""

    def __init__(
        self,
        url: str,
        person: Person,
        random: Random,
        stopped: threading.Event,
        clock: Callable[[], float] = monotonic,
    ) -> None:
        """`clock` in seconds."""
        self._url = url
        self._person = person
        self._random = random
        self._stopped = stopped
        self._clock = clock
        self._since: dict[str, float] = {}
        self._session = requests.Session()
        # a proxy of the environment has no business between two ends of one machine
        self._session.trust_env = False
        self._session.headers["Connection"] = "close"
        self._signed_in = False
        self._thread = threading.Thread(target=self._run, name="demo-colleague", daemon=True)

    def start(self) -> None:
        """Begins, in a thread of its own."""
        self._thread.start()

    def _run(self) -> None:
        while not self._stopped.wait(_LOOKS_EVERY):
            try:
                self.look()
            except (requests.RequestException, ValueError) as problem:
                self._signed_in = False
                _log.info("The colleague can't work: %s", problem)

    def look(self) -> None:
        """Settles what has waited for long enough, the oldest first, and what is too much."""
        if not self._signed_in:
            self._sign_in()
        now = self._clock()
        there = {one.id: one for one in waiting(self._get("/feed/rows"))}
        self._since = {key: self._since.get(key, now) for key in there}
        oldest = sorted(self._since, key=lambda key: (self._since[key], key))
        for number, key in enumerate(oldest):
            if number < len(oldest) - AT_MOST or now - self._since[key] >= PATIENCE_SECONDS:
                self._settle(there[key])

    def _settle(self, one: Waiting) -> None:
        call = settled_by(one, self._random)
        if call is None:
            return
        path, body = call
        self._post(f"/api/v1/actions/{one.id}/{path}", {**body, "version": one.version})

    def _post(self, path: str, body: dict[str, Any]) -> None:
        answer = self._session.post(f"{self._url}{path}", json=body, timeout=_TIMEOUT)
        if not answer.ok:  # somebody was quicker, and that is right
            _log.info("The desk refused (%s): %s", answer.status_code, answer.text[:500])

    def _sign_in(self) -> None:
        form = {"email": self._person.email, "password": self._person.password}
        token = {"csrf_token": self._token("/login")}
        page = self._session.post(f"{self._url}/login", data=form | token, timeout=_TIMEOUT)
        page.raise_for_status()
        self._session.headers["X-CSRFToken"] = self._token("/")
        self._signed_in = True

    def _token(self, path: str) -> str:
        found = _CSRF.search(self._get(path))
        if found is None:
            raise ValueError(f"no token on {path}")
        return found[1]

    def _get(self, path: str) -> str:
        answer = self._session.get(f"{self._url}{path}", timeout=_TIMEOUT)
        answer.raise_for_status()
        if path != "/login" and answer.url.partition("?")[0].endswith("/login"):
            raise ValueError("signed out")
        return answer.text


def waiting(html: str) -> list[Waiting]:
    """The rows of the feed that need a person."""
    found = []
    for key, state, version, marks, inner in _ROW.findall(html):
        if "data-needs" in marks:
            way_back = _COMPENSATION.search(inner)
            found.append(Waiting(key, state, int(version), way_back[1] if way_back else None))
    return found


def settled_by(one: Waiting, random: Random) -> tuple[str, dict[str, Any]] | None:
    """What to post below the action; None where there is nothing to do."""
    if one.state == "awaiting_approval":
        if random.random() < _REJECTED:
            return "rejection", {"reason": random.choice(_REASONS)}
        return "approval", {}
    if one.state == "executed":
        note = {"note": _SORRY} if one.compensation == "correction" else {}
        return ("compensation", {"name": one.compensation, **note}) if one.compensation else None
    return {
        "held": ("release", {}),
        "failed": ("again", {"reason": "The provider had a bad moment"}),
        "unknown": (
            "resolution",
            {"outcome": "happened", "note": "The provider's own page shows it"},
        ),
    }.get(one.state)
