"""A day of a real shop's agent, with people cancelling into it, to the end.

Promises 1, 5, 7 and 8. Every action of the set is drafted through the API with windows of seconds;
200 are cancelled, half of them within 50 ms of their time. Case: Yelp/Tron#202.
"""

import json
import random
import time
from collections import Counter
from collections.abc import Callable
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from tests.fixtures.desk import Desk, wait_until
from tests.fixtures.retail import retail_actions, stock_file
from tests.races.customers import Answer, Client, cancel_at, execute_at, judge

KINDS = ("label", "refund", "reply", "exchange")
CANCELS = 200
CLOSE = 0.05
OPEN = ("scheduled", "executing", "held", "awaiting_approval", "unknown")


def test_the_day_ends_with_rows_and_effects_in_agreement(
    new_desk: Callable[..., Desk], database_url: str
) -> None:
    a_day(new_desk, database_url)


def a_day(new_desk: Callable[..., Desk], database_url: str) -> Counter[int]:
    """How often cancel and claim won, by the answer's status, after everything was judged."""
    desk = new_desk(database_url)
    for number, kind in enumerate(KINDS):
        window = f"window_seconds={3 + number % 2}"
        set_policy = ("settings", "set", kind, "mode=window", window, "margin_seconds=0")
        assert desk.run(*set_policy).returncode == 0
    assert desk.run("stock", "import", str(stock_file())).returncode == 0
    stock_before = _stock(desk)
    token = desk.run("agent", "add", "returns-agent").stdout.split()[-1]
    desk.serve()
    client = Client(desk.url, token)

    answers = _draft_and_cancel(client)
    wait_until(lambda: _ended(client), seconds=120, every=0.5)

    actions = client.everything()
    made = json.loads(desk.run("sandbox", "show", "--json").stdout)
    effects = Counter(entry["key"] for entry in made)
    assert judge(answers, actions, effects) == []
    wins = Counter(answer.status for answer in answers)
    assert wins[200] >= len(answers) // 10, wins
    executed = {a["idempotency_key"]: a for a in actions.values() if a["state"] == "executed"}
    assert effects == Counter(dict.fromkeys(executed, 1))
    assert _refunded(executed.values()) == _refunded(made)
    assert _out_of_order(actions, made) == []
    assert _live_children(actions) == []
    assert _stock(desk) == stock_before - _exchanged(actions)
    return wins


def _draft_and_cancel(client: Client) -> list[Answer]:
    """Draft the whole set; the cancels run beside, each at its moment."""
    day = retail_actions()
    chance = random.Random(5)
    chosen = set(chance.sample(range(len(day)), min(CANCELS, len(day) // 3)))
    ids: dict[str, str] = {}
    waiting: list[Future[Answer]] = []
    with ThreadPoolExecutor(32) as people:
        for number, action in enumerate(day):
            if not ids.keys() >= set(action.depends_on_local):
                continue
            drafted = client.post("/actions", action.body(ids), action.local)
            if drafted.status_code == 409:
                # Its parent was cancelled a moment ago, or the shop has run out.
                assert drafted.json()["code"] in {"dependency_not_live", "out_of_stock"}
                continue
            assert drafted.status_code == 201, drafted.text
            row = drafted.json()
            ids[action.local] = row["id"]
            if number in chosen:
                close = len(waiting) % 2 == 0
                now = time.time()
                moment = execute_at(row) + chance.uniform(-CLOSE, CLOSE)
                when = moment if close else chance.uniform(now, moment - CLOSE)
                waiting.append(people.submit(cancel_at, client, row["id"], when))
        return [future.result() for future in waiting]


def _ended(client: Client) -> bool:
    return not any(client.get(f"/actions?state={state}&limit=1")["items"] for state in OPEN)


def _refunded(entries: Any) -> Counter[str]:
    total: Counter[str] = Counter()
    for entry in entries:
        if entry["kind"] == "refund":
            amount = entry["payload"]["amount"]
            total[amount["currency"]] += amount["value"]
    return total


def _out_of_order(actions: dict[str, dict[str, Any]], made: list[dict[str, Any]]) -> list[str]:
    """Effects that came before one that they depend on."""
    place = {entry["key"]: entry["at"] for entry in made}
    return [
        child["id"]
        for child in actions.values()
        if child["state"] == "executed"
        for parent in child["depends_on"]
        if place[actions[parent]["idempotency_key"]] > place[child["idempotency_key"]]
    ]


def _live_children(actions: dict[str, dict[str, Any]]) -> list[str]:
    """Children of cancelled parents that were not cancelled."""
    return [
        child["id"]
        for child in actions.values()
        if any(actions[parent]["state"] == "cancelled" for parent in child["depends_on"])
        and child["state"] != "cancelled"
    ]


def _stock(desk: Desk) -> Counter[str]:
    lines = desk.run("stock", "show").stdout.splitlines()[1:]
    return Counter({line.split()[0]: int(line.split()[1]) for line in lines})


def _exchanged(actions: dict[str, dict[str, Any]]) -> Counter[str]:
    taken: Counter[str] = Counter()
    for action in actions.values():
        if action["kind"] == "exchange" and action["state"] == "executed":
            taken[action["payload"]["sku"]] += action["payload"]["quantity"]
    return taken
