"""A customer, who has a link and nothing else."""

import json
import re
from dataclasses import dataclass
from typing import Any

from tests.api.world import WORKER, World
from webapp.domain.states import State
from webapp.services import status
from webapp.store import claims
from webapp.store.claims import Finish


@dataclass
class Page:
    """What came back."""

    code: int
    status: str
    text: str
    """Without tags, spaces collapsed."""
    html: str
    headers: Any


def look(world: World, action_id: str) -> Page:
    """The page behind the action's link."""
    return get(world, f"/s/{status.token(world.settings, action_id)}")


def get(world: World, path: str) -> Page:
    answer = world.app.test_client().get(path)
    html = answer.text
    found = re.search(r'<main data-status="([a-z]+)"', html)
    words = re.sub(r"<[^>]+>", "", html.partition("<body>")[2])
    return Page(
        answer.status_code,
        found[1] if found else "",
        " ".join(words.split()).replace(" .", "."),
        html,
        answer.headers,
    )


def execute(world: World, action_id: str, effect: str) -> None:
    """Claims and finishes it; `effect` is what the provider says of it."""
    claim = world.claim(action_id)
    body = {"status": effect, "provider_id": f"re-{action_id}", "detail": {}}
    done = Finish(claim.id, claim.attempt, State.EXECUTED, json.dumps(body), None)
    assert not world.db.transact(lambda tx: claims.finish(tx, WORKER, [done]))
