"""What clients were told, until something was: a lost answer is asked for again with its key."""

import threading
import time
from dataclasses import dataclass, field
from typing import Any

import requests

PATIENCE = 60.0
"""Seconds for an answer, over restarts."""


@dataclass(frozen=True, slots=True)
class Answer:
    """The first answer that a request got, and what had been asked."""

    what: str
    action: str
    status: int
    body: dict[str, Any]


@dataclass
class Answers:
    """All of one desk's, from many threads."""

    _lock: threading.Lock = field(default_factory=threading.Lock)
    given: list[Answer] = field(default_factory=list)
    faults: list[str] = field(default_factory=list)

    def add(self, answer: Answer) -> None:
        with self._lock:
            self.given.append(answer)

    def fault(self, words: str) -> None:
        with self._lock:
            self.faults.append(words)


class Client:
    """One agent. Asks again until it is answered; one session a thread."""

    def __init__(self, url: str, token: str, answers: Answers) -> None:
        self._url = f"{url}/api/v1"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._answers = answers
        self._local = threading.local()

    def draft(self, body: dict[str, Any], key: str) -> dict[str, Any] | None:
        """The action; None where a parent had ended meanwhile."""
        response = self.post("/actions", body, key)
        told: dict[str, Any] = response.json()
        if response.status_code in (200, 201):
            self._answers.add(Answer("draft", told["id"], response.status_code, told))
            return told
        if told.get("code") != "dependency_not_live":
            self._answers.fault(f"draft {key}: {response.status_code} {response.text[:200]}")
        return None

    def cancel(self, action: str) -> Answer:
        """Cancels under a key of the action's own."""
        response = self.post(f"/actions/{action}/cancellation", {"reason": "crash"}, f"c-{action}")
        answer = Answer("cancel", action, response.status_code, response.json())
        self._answers.add(answer)
        return answer

    def state(self, action: str) -> str:
        """The row's state now."""
        return str(self._until_answered("GET", f"/actions/{action}").json()["state"])

    def events(self, cursor: str) -> dict[str, Any]:
        """A page of the feed."""
        page: dict[str, Any] = self._until_answered(
            "GET", f"/events?after={cursor}&limit=500"
        ).json()
        return page

    def post(self, path: str, body: object, key: str) -> requests.Response:
        """Repeated with its key while nobody answers, or the database can't commit."""
        return self._until_answered("POST", path, body, key)

    def _until_answered(
        self, method: str, path: str, body: object = None, key: str | None = None
    ) -> requests.Response:
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        end = time.monotonic() + PATIENCE
        while True:
            try:
                response = self._session().request(
                    method, self._url + path, json=body, headers=headers, timeout=30
                )
            except requests.RequestException as lost:
                said = str(lost)
            else:
                if response.status_code != 503:
                    return response
                said = response.text
            assert time.monotonic() < end, f"no answer: {method} {path}: {said}"
            time.sleep(0.05)

    def _session(self) -> requests.Session:
        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
        session: requests.Session = self._local.session
        return session
