"""The desk's API as a program outside sees it: HTTP and a bearer token."""

import logging
import threading
import uuid

import requests

from webapp.demo.orders import Body

_TRIES = 3
_TIMEOUT = (3.0, 10.0)
_log = logging.getLogger(__name__)


class Client:
    """One agent's connection. Not thread-safe. `stopped` ends waiting between tries."""

    def __init__(self, url: str, token: str, stopped: threading.Event) -> None:
        self._url = f"{url}/api/v1/actions"
        self._stopped = stopped
        self._session = requests.Session()
        # a proxy of the environment has no business between two ends of one machine
        self._session.trust_env = False
        self._session.headers["Authorization"] = f"Bearer {token}"
        # a kept connection would keep a server that is told to end
        self._session.headers["Connection"] = "close"

    def draft(self, body: Body) -> str | None:
        """The new action's id; None where the desk refused or could not be reached."""
        answer = self._post(self._url, body)
        return None if answer is None else str(answer["id"])

    def cancel(self, action_id: str, reason: str) -> None:
        """Ask; whether it was in time is the desk's affair."""
        self._post(f"{self._url}/{action_id}/cancellation", {"reason": reason})

    def _post(self, url: str, body: Body) -> Body | None:
        # the same key on every try: a lost answer makes no second action
        headers = {"Idempotency-Key": str(uuid.uuid4())}
        for number in range(_TRIES):
            try:
                answer = self._session.post(url, json=body, headers=headers, timeout=_TIMEOUT)
            except requests.RequestException as problem:
                _log.info("The desk can't be reached: %s", problem)
            else:
                if answer.ok:
                    found: Body = answer.json()
                    return found
                _log.info("The desk refused (%s): %s", answer.status_code, answer.text[:500])
                if answer.status_code < 500:
                    return None
            if self._stopped.wait(1.0 + number):
                return None
        return None
