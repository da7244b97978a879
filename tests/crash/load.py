"""What a desk does meanwhile: families, exchanges, webhooks, mails, some of them cancelled."""

import itertools
import random
import time
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from typing import Any

from tests.crash.answers import Client
from tests.crash.staff import Staff
from tests.crash.stage import SKU, Stage
from tests.unit.bodies import AMOUNT, PAYLOADS, body
from webapp.domain.times import from_rfc3339

THREADS = 8
_NEAR = (-0.03, 0.01)
"""Seconds around its time in which a webhook is cancelled: some win, some lose."""
_names = itertools.count(1)


class Load:
    """Clients of one desk."""

    def __init__(self, stage: Stage, seed: int = 3) -> None:
        self._stage = stage
        self._chance = random.Random(seed)
        self.client = Client(stage.desk.url, stage.token, stage.answers)
        self._staff = Staff(stage)

    def run(self, waiting: bool = True) -> None:
        """One of each kind of story; returns when the last client was answered.

        `waiting`: also what goes on only after an action was executed.
        """
        stories = [
            *(self._webhook, self._late_webhook, self._family, self._lost_family),
            *(self._exchange, self._returned_exchange, self._mail),
            *((self._taken_back,) if waiting else ()),
        ]
        with ThreadPoolExecutor(THREADS) as pool:
            jobs = [pool.submit(self._tell, story) for story in stories]
        for job in jobs:
            job.result()

    def _tell(self, story: Callable[[], object]) -> None:
        try:
            story()
        except Exception as fault:  # noqa: BLE001 - told with the others
            self._stage.answers.fault(f"{story.__name__}: {type(fault).__name__}: {fault}"[:300])

    def draft(self, kind: str, payload: dict[str, Any], **more: Any) -> dict[str, Any] | None:
        """Under a key of its own."""
        return self.client.draft(body(kind, payload=payload, **more), f"d-{next(_names)}")

    def _webhook(self) -> dict[str, Any] | None:
        payload = {"url": f"{self._stage.peer.url}/hook", "method": "POST", "body": {"n": 1}}
        return self.draft("webhook", payload)

    def _late_webhook(self) -> None:
        if action := self._webhook():
            due = from_rfc3339(action["execute_at"]) - from_rfc3339(action["drafted_at"])
            time.sleep(max(0.0, due / 1e6 + self._chance.uniform(*_NEAR)))
            self.client.cancel(action["id"])

    def _family(self) -> str | None:
        refund = {"payment": f"pi_{next(_names)}", "amount": AMOUNT, "reason": ""}
        parent = self.draft("refund", refund)
        if parent is None:
            return None
        if label := self.draft("label", PAYLOADS["label"], depends_on=[parent["id"]]):
            self.draft("reply", PAYLOADS["reply"], depends_on=[label["id"]])
        return str(parent["id"])

    def _lost_family(self) -> None:
        if parent := self._family():
            self.client.cancel(parent)

    def _exchange(self) -> dict[str, Any] | None:
        return self.draft("exchange", PAYLOADS["exchange"] | {"sku": SKU})

    def _returned_exchange(self) -> None:
        if action := self._exchange():
            self.client.cancel(action["id"])

    def _mail(self) -> None:
        self.draft("reply", PAYLOADS["reply"])

    def _taken_back(self) -> None:
        refund = {"payment": f"pi_{next(_names)}", "amount": AMOUNT, "reason": ""}
        if action := self.draft("refund", refund):
            self._stage.wait(lambda: self.client.state(action["id"]) == "executed")
            self._staff.take_back(action["id"])
