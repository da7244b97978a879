"""Calls to other systems: `webhook` and `webhook.undo`.

The key goes out as `Idempotency-Key` and as `webhook-id`; targets are taken to dedupe by it.
Signed as https://www.standardwebhooks.com asks, where a secret is set.
"""

import json
from collections.abc import Collection
from datetime import UTC, datetime
from http.client import HTTPException
from typing import Any

from standardwebhooks.webhooks import Webhook as Signer
from urllib3 import BaseHTTPResponse
from urllib3.exceptions import HTTPError, ReadTimeoutError
from urllib3.util import parse_url

from webapp.connectors.base import SETTLED, Effect, EffectFailed, EffectRequest
from webapp.connectors.deadline import until
from webapp.connectors.pinned import AddressRefused, pinned_pools
from webapp.connectors.targets import check_headers, check_target, parse_target
from webapp.failpoints import REPLIED, reach

RESPONSE_BYTES = 64 * 1024
"""Read of an answer; the connection is closed on more."""
KEPT_CHARACTERS = 1_000
"""Of an answer, kept with the effect."""
METHODS = frozenset({"POST", "PUT", "PATCH", "DELETE"})

_TRY_AGAIN = frozenset({408, 409, 425, 429})


class WebhookConnector:
    """JSON over HTTP to the payload's URL."""

    name = "webhook"
    dedupes = True
    can_look_up = False

    def __init__(self, *, secret: str | None = None, allow: Collection[str] = ()) -> None:
        """`secret`: base64, with or without `whsec_`; `allow`: `host`, `host:port`."""
        self._signer = Signer(secret) if secret else None
        self._allow = allow
        self._pools = pinned_pools(allow)

    def send(self, request: EffectRequest) -> Effect:
        payload = request.payload
        wrong = check_target(payload["url"], self._allow) or check_headers(
            payload.get("headers", {})
        )
        if wrong or payload["method"] not in METHODS:
            raise _refused(wrong or f"the method {payload['method']} is refused")
        body = _serialise(payload.get("body"))
        with until(request.deadline) as wire:
            try:
                response = self._call(request, body)
            except AddressRefused as error:
                raise _refused(str(error)) from None
            except (HTTPError, HTTPException, OSError) as error:
                raise EffectFailed(
                    f"no answer: {_reason(error)}"
                    if wire.sent
                    else f"not called: {_reason(error)}",
                    permanent=False,
                    may_have_happened=wire.sent,
                ) from error
            reach(self.name, REPLIED)
            return _judge(request, response)

    def look_up(self, request: EffectRequest) -> Effect | None:
        raise EffectFailed(
            f"the target cannot be asked whether it took {request.key}",
            permanent=True,
            may_have_happened=True,
        )

    def check(self) -> str | None:
        return None

    def _call(self, request: EffectRequest, body: bytes) -> BaseHTTPResponse:
        payload = request.payload
        target = parse_target(payload["url"])
        headers = dict(payload.get("headers", {}))
        given = {name.lower() for name in headers}
        if body and "content-type" not in given:
            headers["Content-Type"] = "application/json"
        if "user-agent" not in given:
            headers["User-Agent"] = "undo-desk"
        headers |= {
            "Accept-Encoding": "identity",
            "Content-Length": str(len(body)),
            "Idempotency-Key": request.key,
            "webhook-id": request.key,
            **self._signature(request.key, body),
        }
        pool = self._pools.connection_from_host(target.host, target.port, target.scheme)
        return pool.urlopen(
            payload["method"],
            parse_url(payload["url"]).request_uri,
            body=body,
            headers=headers,
            redirect=False,
            retries=False,
            preload_content=False,
            decode_content=False,
        )

    def _signature(self, key: str, body: bytes) -> dict[str, str]:
        if self._signer is None:
            return {}
        now = datetime.now(UTC)
        return {
            "webhook-timestamp": str(int(now.timestamp())),
            "webhook-signature": self._signer.sign(key, now, body.decode()),
        }


def _judge(request: EffectRequest, response: BaseHTTPResponse) -> Effect:
    status = response.status
    text = _read(response)
    detail: dict[str, Any] = {"status": status, "response": text}
    if 200 <= status < 300:
        return Effect(SETTLED, request.key, detail)
    if 300 <= status < 400:
        where = f" to {response.headers['location']}" if "location" in response.headers else ""
        raise EffectFailed(
            f"the target redirects{where} ({status}); redirects are not followed",
            permanent=True,
            may_have_happened=False,
            detail=detail,
        )
    # By the Idempotency-Key draft, 409 to a repeated key: the first call is still being worked on.
    working = status == 409 and request.attempt > 1
    raise EffectFailed(
        f"the target answered {status} {response.reason or ''}".rstrip(),
        permanent=400 <= status < 500 and status not in _TRY_AGAIN,
        may_have_happened=working or not 400 <= status < 500,
        detail=detail,
    )


def _read(response: BaseHTTPResponse) -> str:
    """The answer's beginning; one cut short changes nothing, as the status has decided."""
    try:
        content = response.read(RESPONSE_BYTES + 1)
    except (HTTPError, HTTPException, OSError):
        content = b""
        response.close()
    if len(content) > RESPONSE_BYTES:
        response.close()
    response.release_conn()
    return content.decode("utf-8", "replace").replace("\0", "\ufffd")[:KEPT_CHARACTERS]


def _serialise(body: Any) -> bytes:
    """One form for one value, the same on every attempt; nothing for null."""
    if body is None:
        return b""
    return json.dumps(body, ensure_ascii=False, allow_nan=False, separators=(",", ":")).encode()


def _refused(message: str) -> EffectFailed:
    return EffectFailed(message, permanent=True, may_have_happened=False)


def _reason(error: BaseException) -> str:
    """The innermost words: urllib3 wraps what the socket said."""
    if isinstance(error, ReadTimeoutError):
        return "no answer in time"
    for inner in error.args:
        if isinstance(inner, BaseException):
            return _reason(inner)
    return str(error) or type(error).__name__
