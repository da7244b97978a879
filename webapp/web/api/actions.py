"""Drafting, reading, listing."""

from typing import Any

from webapp.services import draft as drafts
from webapp.services import read
from webapp.web.api.blueprint import api
from webapp.web.api.body import idempotency_key, json_body
from webapp.web.api.query import Listing, Nothing, before, cursor_behind, read_query
from webapp.web.current import agent, caller, desk
from webapp.web.shape import shown, shown_all

Answer = tuple[dict[str, Any], int]


@api.post("/actions")
def draft() -> Answer:
    """201 the new action; 200 the same one again (same key and body), or the one it joined."""
    key = idempotency_key()
    done = drafts.draft(desk(), agent(), json_body(), key)
    return shown(desk(), done.action), 201 if done.created else 200


@api.get("/actions")
def newest() -> dict[str, Any]:
    """Newest drafted first; `next` is the cursor of the page below, null on the last."""
    asked = read_query(Listing)
    found = read.newest(
        desk(),
        caller(),
        limit=asked.limit + 1,
        before=before(asked.cursor),
        state=asked.state,
        kind=asked.kind,
        agent=asked.agent,
        customer=asked.customer,
        order=asked.order,
    )
    shown_now = found[: asked.limit]
    return {
        "items": shown_all(desk(), shown_now),
        "next": cursor_behind(shown_now[-1].id) if len(found) > asked.limit else None,
    }


@api.get("/actions/<action_id>")
def get(action_id: str) -> dict[str, Any]:
    """One action."""
    read_query(Nothing)
    return shown(desk(), read.get(desk(), action_id, caller()))
