"""Promise 3, merge against claim: what runs is what was shown, and every text is sent once.

Cases: Foundry376/Mailspring#390 (undo, edit, send: the old text went out),
pydantic/pydantic-ai#6968 (approved arguments were not the executed ones).
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
import requests

from tests.fixtures.desk import Desk, wait_until
from tests.races import joins
from tests.races.customers import Client, execute_at, serving
from tests.races.peers import running_peer

TRIALS = 150
LEAST = 0.10
"""A race that one side always wins tests nothing."""
OVER_HTTP, THREADS = 80, 8
_AIM, _STEP, _SPREAD = -0.02, 0.002, 0.006


@pytest.mark.parametrize("window", [0, 3_600], ids=["due at once", "an hour later"])
def test_each_text_is_sent_once_with_what_was_shown(
    database_url: str, tmp_path: Path, window: int
) -> None:
    tally = joins.race(database_url, TRIALS, tmp_path, window)
    assert tally.faults == []
    assert tally.least >= LEAST, tally


def test_a_join_without_its_guards_is_caught(database_url: str, tmp_path: Path) -> None:
    tally = joins.race(database_url, 60, tmp_path, 3_600, plant=joins.drop_the_guards)
    assert tally.faults != []


def test_over_http_the_peer_gets_what_the_row_shows(
    new_desk: Callable[..., Desk], database_url: str
) -> None:
    """Drafts join webhooks as close to a live worker's claim as they can; a peer counts."""
    with running_peer() as peer:
        client = serving(new_desk(database_url, WEBHOOK_ALLOW=peer.address))
        answers = _race(client, peer.url)
        wait_until(lambda: _all_executed(client), seconds=30, every=0.2)
        rows = client.everything()
        effects = requests.get(f"{peer.url}/effects", timeout=30).json()
    assert Counter(one["key"] for one in effects) == Counter(
        row["idempotency_key"] for row in rows.values()
    )
    sent = {one["key"]: json.loads(one["body"]) for one in effects}
    assert sent == {row["idempotency_key"]: row["payload"]["body"] for row in rows.values()}
    texts = Counter(text for row in rows.values() for text in _texts(row))
    assert texts == Counter(f"{which}-{n}" for n in range(OVER_HTTP) for which in ("one", "two"))
    for number, (status, first, second) in enumerate(answers):
        assert (status == 200) is (first == second), "200 says that it joined"
        assert f"two-{number}" in _texts(rows[second])
    wins = Counter(status for status, _, _ in answers)
    assert min(wins[200], wins[201]) >= LEAST * OVER_HTTP, wins


def _race(client: Client, peer: str) -> list[tuple[int, str, str]]:
    """Status of each joining draft, and the ids of the first action and of the one it is in."""
    aim, chance = [_AIM], random.Random(5)

    def say(number: int, which: str) -> requests.Response:
        body = {
            "kind": "webhook",
            "summary": f"Trial {number}",
            "payload": {"url": f"{peer}/{number}", "method": "POST", "body": f"{which}-{number}"},
            "customer": {"ref": f"c-{number}"},
            "merge_key": "m",
        }
        return client.post("/actions", body, f"{which}-{number}")

    def trial(number: int) -> tuple[int, str, str]:
        first = say(number, "one").json()
        moment = execute_at(first) + aim[0] + chance.uniform(-_SPREAD, _SPREAD)
        time.sleep(max(0.0, moment - time.time()))
        second, repeated = say(number, "two"), say(number, "two")
        assert (repeated.status_code, repeated.json()["id"]) == (200, second.json()["id"])
        aim[0] += _STEP if second.status_code == 200 else -_STEP
        return second.status_code, first["id"], second.json()["id"]

    with ThreadPoolExecutor(THREADS) as pool:
        return list(pool.map(trial, range(OVER_HTTP)))


def _texts(row: dict[str, Any]) -> list[str]:
    body = row["payload"]["body"]
    return body if isinstance(body, list) else [body]


def _all_executed(client: Client) -> bool:
    return all(row["state"] == "executed" for row in client.everything().values())
