"""Promises 1, 5 and 9 over HTTP: clients against a live worker, effects counted at a peer.

Cases: macro-inc/macro#4187, relaticle/relaticle#262, nextcloud/mail#6334.
"""

from collections import Counter
from collections.abc import Callable
from typing import Any

from tests.fixtures.desk import Desk, wait_until
from tests.races.customers import Client, judge, race, serving
from tests.races.peers import running_peer

TRIALS = 300
THREADS = 8
LEAST = 0.10


def test_a_cancel_over_http_wins_or_loses_and_says_so(
    new_desk: Callable[..., Desk], database_url: str
) -> None:
    over_http(new_desk, database_url, TRIALS)


def over_http(
    new_desk: Callable[..., Desk], database_url: str, trials: int, threads: int = THREADS
) -> tuple[int, int]:
    """How often cancel and claim won, after every answer was judged."""
    with running_peer() as peer:
        client = serving(new_desk(database_url, WEBHOOK_ALLOW=peer.address))

        def draft(number: int) -> dict[str, Any]:
            payload = {"url": f"{peer.url}/{number}", "method": "POST", "body": {"n": number}}
            return {
                "kind": "webhook",
                "summary": f"Trial {number}",
                "payload": payload,
                "customer": {"ref": "c"},
            }

        answers = race(client, draft, trials, threads)
        wait_until(lambda: _settled(client), seconds=30, every=0.2)
        faults = judge(answers, client.everything(), peer.counts())
    assert faults == [], faults
    wins = Counter(answer.status for answer in answers)
    assert min(wins[200], wins[409]) >= LEAST * trials, wins
    return wins[200], wins[409]


def _settled(client: Client) -> bool:
    return all(
        action["state"] in {"cancelled", "executed"} for action in client.everything().values()
    )
