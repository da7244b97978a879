"""Calls to other systems, against real servers on loopback."""

import json
import socket
import threading
import time
from collections.abc import Callable
from typing import Any

import pytest
from pytest_httpserver import HTTPServer
from standardwebhooks.webhooks import Webhook as Verifier
from werkzeug import Request, Response

from tests.connectors.servers import (
    CERTIFICATE,
    hang_up,
    idle,
    listening,
    read_request,
    refused_port,
)
from webapp.connectors.base import Connector, Effect, EffectFailed, EffectRequest
from webapp.connectors.webhook import KEPT_CHARACTERS, RESPONSE_BYTES, WebhookConnector

SECRET = "whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw"
LOCAL = ["127.0.0.1", "localhost"]


def request(url: str, *, key: str = "act_1", attempt: int = 1, **payload: Any) -> EffectRequest:
    whole = {"url": url, "method": "POST", "headers": {}, "body": None} | payload
    return EffectRequest(key, "webhook", whole, "1", attempt, time.monotonic() + 10)


def failure(connector: Connector, effect: EffectRequest) -> EffectFailed:
    with pytest.raises(EffectFailed) as failed:
        connector.send(effect)
    return failed.value


def answering(httpserver: HTTPServer, status: int, **headers: str) -> str:
    httpserver.expect_request("/hook").respond_with_response(
        Response("so it is", status, headers=headers)
    )
    return httpserver.url_for("/hook")


def test_what_goes_out(httpserver: HTTPServer) -> None:
    seen: list[Request] = []

    def hook(incoming: Request) -> Response:
        incoming.get_data()
        seen.append(incoming)
        return Response("thanks")

    httpserver.expect_request("/hook", query_string="a=1").respond_with_handler(hook)
    url = httpserver.url_for("/hook?a=1")
    body = {"näme": "Zoë", "n": [1, None]}
    effect = WebhookConnector(secret=SECRET, allow=LOCAL).send(
        request(url, method="PUT", headers={"X-Desk": "7"}, body=body)
    )
    assert effect == Effect("settled", "act_1", {"status": 200, "response": "thanks"})
    (incoming,) = seen
    assert incoming.method == "PUT"
    assert json.loads(incoming.get_data()) == body
    assert incoming.headers["Content-Type"] == "application/json"
    assert incoming.headers["Idempotency-Key"] == incoming.headers["webhook-id"] == "act_1"
    assert incoming.headers["X-Desk"] == "7"
    assert incoming.headers["Host"] == f"localhost:{httpserver.port}"
    # Whoever knows the secret can tell that it was this desk.
    Verifier(SECRET).verify(incoming.get_data(), dict(incoming.headers))


def test_without_a_secret_it_goes_unsigned(httpserver: HTTPServer) -> None:
    url = answering(httpserver, 204)
    WebhookConnector(allow=LOCAL).send(request(url, headers={"Content-Type": "text/x-none"}))
    incoming = httpserver.log[0][0]
    assert "webhook-signature" not in incoming.headers
    assert incoming.headers["webhook-id"] == "act_1"
    assert incoming.headers["Content-Type"] == "text/x-none"
    assert incoming.headers["Content-Length"] == "0"


@pytest.mark.parametrize(
    ("status", "permanent", "may_have_happened"),
    [
        *((400, True, False), (401, True, False), (404, True, False), (410, True, False)),
        *((422, True, False), (408, False, False), (409, False, False), (425, False, False)),
        *((429, False, False), (500, False, True), (502, False, True), (503, False, True)),
        *((301, True, False), (302, True, False), (307, True, False), (308, True, False)),
    ],
)
def test_what_a_status_means(
    httpserver: HTTPServer, status: int, permanent: bool, may_have_happened: bool
) -> None:
    url = answering(httpserver, status, Location="http://169.254.169.254/latest")
    failed = failure(WebhookConnector(allow=LOCAL), request(url))
    assert (failed.permanent, failed.may_have_happened) == (permanent, may_have_happened)
    assert str(status) in str(failed)
    assert failed.detail == {"status": status, "response": "so it is"}
    # A redirect is not followed, nothing is tried twice.
    assert len(httpserver.log) == 1


def test_a_conflict_on_a_repeated_key_may_be_the_first_call(httpserver: HTTPServer) -> None:
    failed = failure(WebhookConnector(allow=LOCAL), request(answering(httpserver, 409), attempt=2))
    assert failed.may_have_happened


def test_nobody_listens() -> None:
    url = f"http://127.0.0.1:{refused_port()}/"
    failed = failure(WebhookConnector(allow=LOCAL), request(url))
    assert (failed.permanent, failed.may_have_happened) == (False, False)
    assert "refused" in str(failed)


def test_a_name_that_does_not_exist() -> None:
    failed = failure(WebhookConnector(), request("https://nowhere.invalid/"))
    assert (failed.permanent, failed.may_have_happened) == (False, False)


def test_a_connection_that_dies_after_the_request() -> None:
    with listening(hang_up) as server:
        url = f"http://127.0.0.1:{server.port}/"
        failed = failure(WebhookConnector(allow=LOCAL), request(url))
        assert (failed.permanent, failed.may_have_happened) == (False, True)
        # Not even a lost call is repeated here.
        assert len(server.connections) == 1


def test_an_answer_that_is_not_http() -> None:
    def chatter(connection: socket.socket, _: threading.Event) -> None:
        read_request(connection)
        connection.sendall(b"220 mail.test ESMTP\r\n")

    with listening(chatter) as server:
        failed = failure(WebhookConnector(allow=LOCAL), request(f"http://127.0.0.1:{server.port}/"))
    assert failed.may_have_happened


def test_an_endless_answer_is_cut() -> None:
    sent = 0

    def endless(connection: socket.socket, over: threading.Event) -> None:
        nonlocal sent
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\n\r\n")
        while not over.is_set():
            connection.sendall(b"\0" * 65536)
            sent += 65536

    with listening(endless) as server:
        effect = WebhookConnector(allow=LOCAL).send(request(f"http://127.0.0.1:{server.port}/"))
    assert effect.status == "settled"
    # No database takes a NUL.
    assert effect.detail["response"] == "\ufffd" * KEPT_CHARACTERS
    # What was sent but not read lay in the two sockets' buffers.
    assert sent < RESPONSE_BYTES + 16 * 1024 * 1024


def test_connections_are_kept_until_they_are_stale(monkeypatch: pytest.MonkeyPatch) -> None:
    def polite(connection: socket.socket, _: threading.Event) -> None:
        while read_request(connection):
            connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")

    connector = WebhookConnector(allow=LOCAL)
    with listening(polite) as server:
        url = f"http://127.0.0.1:{server.port}/"
        for number in range(5):
            connector.send(request(url, key=f"act_{number}"))
        assert len(server.connections) == 1
        later = time.monotonic() + 2
        monkeypatch.setattr("webapp.connectors.pinned.time.monotonic", lambda: later)
        effect = request(url)
        connector.send(EffectRequest("act_9", "webhook", effect.payload, "1", 1, later + 5))
        assert len(server.connections) == 2


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "[::1]", "2130706433", "0"])
def test_private_targets_are_refused_without_a_connection(host: str) -> None:
    with listening(idle) as server:
        for scheme in ("http", "https"):
            failed = failure(WebhookConnector(), request(f"{scheme}://{host}:{server.port}/"))
            assert (failed.permanent, failed.may_have_happened) == (True, False)
        assert not server.connections


def answers(*addresses: str) -> Callable[..., Any]:
    """A resolver whose answer changes from one question to the next."""
    left = iter(addresses)

    def look_up(host: str, port: int, *_: Any, flags: int = 0, **__: Any) -> Any:
        if flags & socket.AI_NUMERICHOST or not host.endswith(".test"):
            raise socket.gaierror(socket.EAI_NONAME, host)
        return [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", (address, port))
            for address in next(left).split()
        ]

    return look_up


def test_a_name_that_leads_inside_is_refused_when_called(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(idle) as server:
        # The second one hides the private address behind a public one.
        monkeypatch.setattr(socket, "getaddrinfo", answers("127.0.0.1", "93.184.215.14 127.0.0.1"))
        for _ in range(2):
            failed = failure(WebhookConnector(), request(f"https://api.test:{server.port}/"))
            assert (failed.permanent, failed.may_have_happened) == (True, False)
            assert "leads to 127.0.0.1, which is not a public address" in str(failed)
        assert not server.connections


def test_the_connection_goes_to_the_address_that_was_checked(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """DNS rebinding: a second question would be answered with another address."""
    checked: list[list[str]] = []

    def look(_: Any, addresses: Any, __: Any) -> None:
        checked.append(list(addresses))

    monkeypatch.setattr("webapp.connectors.pinned.refuse_addresses", look)
    monkeypatch.setattr(socket, "getaddrinfo", answers("127.0.0.1", "127.0.0.2"))
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))

    def polite(connection: socket.socket, _: threading.Event) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")

    with listening(polite, tls=True) as server:
        effect = WebhookConnector().send(request(f"https://api.test:{server.port}/"))
        assert [peer.getsockname()[0] for peer in server.connections] == ["127.0.0.1"]
    assert effect.status == "settled"
    assert checked == [["127.0.0.1"]]


def test_a_certificate_for_another_name_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    monkeypatch.setattr(socket, "getaddrinfo", answers("127.0.0.1"))
    with listening(hang_up, tls=True) as server:
        url = f"https://other.test:{server.port}/"
        failed = failure(WebhookConnector(allow=["other.test"]), request(url))
    assert (failed.permanent, failed.may_have_happened) == (False, False)
    assert "certificate" in str(failed)


def test_headers_are_checked_again_when_called(httpserver: HTTPServer) -> None:
    url = answering(httpserver, 200)
    failed = failure(WebhookConnector(allow=LOCAL), request(url, headers={"webhook-id": "mine"}))
    assert (failed.permanent, failed.may_have_happened) == (True, False)
    assert not httpserver.log


def test_no_cookie_proxy_or_password_of_the_desk_goes_along(
    httpserver: HTTPServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("http_proxy", f"http://127.0.0.1:{refused_port()}")
    url = answering(httpserver, 200, **{"Set-Cookie": "session=1; Path=/"})
    connector = WebhookConnector(allow=LOCAL)
    for _ in range(2):
        connector.send(request(url))
    assert all("Cookie" not in incoming.headers for incoming, _ in httpserver.log)


def test_it_cannot_be_asked_and_says_so() -> None:
    connector = WebhookConnector(secret=SECRET)
    assert (connector.dedupes, connector.can_look_up, connector.check()) == (True, False, None)
    with pytest.raises(EffectFailed) as failed:
        connector.look_up(request("https://example.com/"))
    assert failed.value.may_have_happened
