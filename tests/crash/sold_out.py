"""Fifty buyers at once for a few mugs, while the desk's processes are killed."""

import os
import random
import signal
import threading
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import count
from typing import Any

from tests.crash.answers import Answers, Client
from tests.crash.checker import settled
from tests.crash.stage import Stage
from tests.unit.bodies import PAYLOADS, body
from webapp.domain.errors import Unavailable
from webapp.domain.ids import idempotency_key
from webapp.services import stock

BUYERS, TIMES, UNITS, KILLS = 50, 2, 40, 3
SKU = "last-mug"
CANCELLED = 0.4
"""The share of buyers who change their mind."""
_ROWS = "SELECT id, state, payload, reserved_until FROM action WHERE kind = 'exchange'"
_BALANCE = (
    "SELECT (SELECT available FROM stock WHERE sku = 'last-mug') AS available, "
    "(SELECT coalesce(sum(quantity), 0) FROM reservation "
    "WHERE sku = 'last-mug' AND released_at IS NULL) AS kept"
)
_KEPT = "SELECT action, quantity FROM reservation WHERE sku = 'last-mug' AND released_at IS NULL"
_GIVEN_BACK = frozenset({"cancelled", "rejected", "failed"})


@dataclass
class Sale:
    """One sale on one desk, and what was told of it."""

    stage: Stage
    bought: list[tuple[str, int]] = field(default_factory=list)
    refused: int = 0
    faults: list[str] = field(default_factory=list)
    killed: int = 0
    _told: threading.Lock = field(default_factory=threading.Lock)
    _chance: random.Random = field(default_factory=lambda: random.Random(50))

    def run(self) -> None:
        """Returns when every buyer was answered and nothing is left to do."""
        stock.put(self.stage.services, SKU, str(UNITS))
        sold = threading.Event()
        watching = threading.Thread(target=self._watch, args=(sold,), name="watch")
        watching.start()
        with ThreadPoolExecutor(BUYERS) as pool:
            jobs = [pool.submit(self._buy, number) for number in range(BUYERS)]
            for _ in range(KILLS):
                time.sleep(self._chance.uniform(0.1, 0.6))
                self._kill()
        self.faults += [str(job.exception()) for job in jobs if job.exception()]
        self.stage.wait(lambda: settled(self.stage, [one for one, _ in self.bought]))
        sold.set()
        watching.join()

    def _kill(self) -> None:
        role, pid = self._chance.choice(list(self.stage.victims().items()))
        with suppress(ProcessLookupError):
            (os.killpg if role == "serve" else os.kill)(pid, signal.SIGKILL)
            self.killed += 1

    def _buy(self, number: int) -> None:
        chance, answers = random.Random(number), Answers()
        client = Client(self.stage.desk.url, self.stage.token, answers)
        for again in range(TIMES):
            quantity = chance.choice((1, 1, 2, 3))
            payload = PAYLOADS["exchange"] | {"sku": SKU, "quantity": quantity}
            told = client.post("/actions", body("exchange", payload=payload), f"b-{number}-{again}")
            self._hear(told.status_code, told.json(), quantity)
            if told.ok and chance.random() < CANCELLED:
                client.cancel(told.json()["id"])

    def _hear(self, status: int, told: dict[str, Any], quantity: int) -> None:
        with self._told:
            if status in (200, 201):
                self.bought.append((told["id"], quantity))
            elif told.get("code") == "out_of_stock":
                self.refused += 1
            else:
                self.faults.append(f"a buyer was told {status} {told}"[:300])

    def _watch(self, sold: threading.Event) -> None:
        """At every moment all units are there or reserved, as one snapshot shows it."""
        for number in count():
            with suppress(Unavailable), self.stage.services.db.connection() as conn:
                seen = conn.exec_driver_sql(_BALANCE).one()
                if seen.available + seen.kept != UNITS or seen.available < 0:
                    self.faults.append(f"look {number}: {seen.available} there, {seen.kept} kept")
                    return
            if sold.wait(0.01):
                return

    def check(self) -> list[str]:
        """What is wrong, now that it is over."""
        with self.stage.services.db.connection() as conn:
            rows = {row.id: row for row in conn.exec_driver_sql(_ROWS)}
            kept = {row.action: row.quantity for row in conn.exec_driver_sql(_KEPT)}
            available = conn.exec_driver_sql(_BALANCE).one().available
        return [*self.faults, *self._wrong(rows, kept, available)]

    def _wrong(self, rows: dict[str, Any], kept: dict[str, int], available: int) -> Iterator[str]:
        effects = self.stage.effects()["sandbox"]
        shipped = 0
        if available + sum(kept.values()) != UNITS:
            yield f"{available} there and {sum(kept.values())} kept of {UNITS}"
        if len(rows) != len({one for one, _ in self.bought}):
            yield f"{len(rows)} rows, {len(self.bought)} buyers were told of one"
        for one, quantity in self.bought:
            state = rows[one].state if one in rows else "lost"
            times = effects[idempotency_key(one)]
            shipped += quantity * times
            if kept.get(one, 0) != (0 if state in _GIVEN_BACK else quantity):
                yield f"{one} is {state}, {kept.get(one, 0)} kept of {quantity}"
            if times != (state == "executed"):
                yield f"{one} is {state} with {times} effects"
        if shipped > UNITS:
            yield f"oversold: {shipped} of {UNITS}"
