"""Telling the desk that the world changed."""

from webapp.services.signal import signal
from webapp.web.api.blueprint import api
from webapp.web.api.bodies import Signal
from webapp.web.api.body import idempotency_key, read_body
from webapp.web.current import caller, desk


@api.post("/signals")
def tell() -> dict[str, list[str]]:
    """Ids alone, also of other agents' actions: what they are stays theirs to read."""
    key, body = idempotency_key(), read_body(Signal)
    done = signal(
        desk(),
        caller(),
        body.type,
        customer=body.customer,
        order=body.order,
        note=body.note,
        key=key,
    )
    return {"held": done.held, "too_late": done.too_late}
