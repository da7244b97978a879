"""Clients that draft over HTTP and cancel as close to the claim as they can."""

import random
import threading
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from typing import Any

import requests

from tests.fixtures.desk import Desk
from webapp.domain.times import from_rfc3339

_TRUE = {
    (200, "cancelled", "cancelled", 0),
    (200, "already_cancelled", "cancelled", 0),
    (409, "too_late", "executed", 1),
}
"""Status and result that agree with the row's state and the effects made."""
_AIM, _STEP, _SPREAD = -0.004, 0.0007, 0.003


@dataclass(frozen=True, slots=True)
class Answer:
    """What one cancellation was told, and whether a repeat with its key was told the same."""

    action: str
    status: int
    body: dict[str, Any]
    repeated_alike: bool


class Client:
    """An agent of one desk; one session a thread."""

    def __init__(self, url: str, token: str) -> None:
        self._url = f"{url}/api/v1"
        self._headers = {"Authorization": f"Bearer {token}"}
        self._local = threading.local()

    def post(self, path: str, body: object, key: str | None = None) -> requests.Response:
        """POST to a path below /api/v1."""
        headers = self._headers | ({"Idempotency-Key": key} if key else {})
        return self._session().post(self._url + path, json=body, headers=headers, timeout=30)

    def get(self, path: str) -> dict[str, Any]:
        """GET a JSON object from a path below /api/v1."""
        answer = self._session().get(self._url + path, headers=self._headers, timeout=30)
        assert answer.ok, answer.text
        found: dict[str, Any] = answer.json()
        return found

    def everything(self) -> dict[str, dict[str, Any]]:
        """All actions by id, through the list's pages."""
        found: dict[str, dict[str, Any]] = {}
        cursor = ""
        while True:
            page = self.get(f"/actions?limit=200{cursor}")
            found |= {item["id"]: item for item in page["items"]}
            if page["next"] is None:
                return found
            cursor = f"&cursor={page['next']}"

    def _session(self) -> requests.Session:
        if not hasattr(self._local, "session"):
            self._local.session = requests.Session()
        session: requests.Session = self._local.session
        return session


def serving(desk: Desk) -> Client:
    """`desk` serves, and runs webhooks after a second; an agent of it."""
    policy = ("mode=window", "window_seconds=1", "margin_seconds=0", "allow_no_undo=yes")
    assert desk.run("settings", "set", "webhook", *policy).returncode == 0
    token = desk.run("agent", "add", "racer").stdout.split()[-1]
    desk.serve()
    return Client(desk.url, token)


def cancel_at(client: Client, action: str, moment: float) -> Answer:
    """Cancel at `moment` (seconds since 1970), and ask again with the same key."""
    time.sleep(max(0.0, moment - time.time()))
    path, key = f"/actions/{action}/cancellation", f"race-{action}"
    first = client.post(path, {"reason": "race"}, key)
    again = client.post(path, {"reason": "race"}, key)
    return Answer(action, first.status_code, first.json(), _alike(first, again))


def execute_at(action: dict[str, Any]) -> float:
    """When it runs, in seconds since 1970."""
    return from_rfc3339(action["execute_at"]) / 1_000_000


def race(
    client: Client, draft: Callable[[int], dict[str, Any]], trials: int, threads: int
) -> list[Answer]:
    """Draft and cancel `trials` actions, aiming nearer to where wins and losses balance."""
    aim, lock = [_AIM], threading.Lock()
    chance = random.Random(11)

    def trial(number: int) -> Answer:
        drafted = client.post("/actions", draft(number), f"draft-{number}")
        assert drafted.status_code == 201, drafted.text
        action = drafted.json()
        with lock:
            offset = aim[0] + chance.uniform(-_SPREAD, _SPREAD)
        answer = cancel_at(client, action["id"], execute_at(action) + offset)
        with lock:
            aim[0] += _STEP if answer.status == 200 else -_STEP
        return answer

    with ThreadPoolExecutor(threads) as pool:
        return list(pool.map(trial, range(trials)))


def judge(
    answers: list[Answer], actions: dict[str, dict[str, Any]], effects: Counter[str]
) -> list[str]:
    """What is wrong with the answers, held against the rows and the effects at the peer."""
    faults: list[str] = []
    for answer in answers:
        action = actions[answer.action]
        made = effects[action["idempotency_key"]]
        seen = (answer.status, answer.body.get("result"), action["state"], made)
        if seen not in _TRUE:
            faults.append(f"{answer.action}: {seen}")
        if not answer.repeated_alike:
            faults.append(f"{answer.action}: the same key was answered otherwise")
    return faults


def _alike(first: requests.Response, again: requests.Response) -> bool:
    parts = ("result", "receipt", "also_cancelled", "cancel_recorded", "state")
    one, other = first.json(), again.json()
    same = all(one.get(part) == other.get(part) for part in parts)
    return same and first.status_code == again.status_code
