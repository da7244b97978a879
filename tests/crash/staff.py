"""A person at the desk: takes back what was done."""

import re
import time

import requests

from tests.crash.answers import PATIENCE, Answer
from tests.crash.stage import Stage
from webapp.services import sign_in

ADDRESS, PASSWORD = "ana@example.com", "a password for tests"
_TOKEN = re.compile(r'<meta name="csrf-token" content="([^"]+)"')


class Staff:
    """Signed in once; asks again until answered."""

    def __init__(self, stage: Stage) -> None:
        self._stage = stage
        sign_in.add_person(
            stage.services, email=ADDRESS, name="Ana", role="staff", password=PASSWORD
        )
        self._cookie = sign_in.sign_in(
            stage.services, email=ADDRESS, password=PASSWORD, host="127.0.0.1"
        )

    def take_back(self, action: str) -> None:
        """The reversal of a refund: at most one lives, so that a repeat is answered the same."""
        told = self._post(f"/api/v1/actions/{action}/compensation", {"name": "reversal"})
        if told.status_code in (200, 201):
            made = told.json()
            self._stage.answers.add(Answer("compensate", made["id"], told.status_code, made))
        else:
            self._stage.answers.fault(f"compensation: {told.status_code} {told.text[:200]}")

    def _post(self, path: str, body: object) -> requests.Response:
        end = time.monotonic() + PATIENCE
        while True:
            try:
                told = self._try(path, body)
            except requests.RequestException:
                assert time.monotonic() < end, f"no answer: {path}"
            else:
                if told.status_code != 503:
                    return told
                assert time.monotonic() < end, f"only 503: {path}"
            time.sleep(0.05)

    def _try(self, path: str, body: object) -> requests.Response:
        url = self._stage.desk.url
        with requests.Session() as session:
            session.cookies.set("ud_session", self._cookie)
            page = session.get(f"{url}/", timeout=30)
            if page.status_code == 503:
                return page
            token = _TOKEN.search(page.text)
            assert token, page.text[:200]
            return session.post(
                url + path, json=body, headers={"X-CSRFToken": token[1]}, timeout=30
            )
