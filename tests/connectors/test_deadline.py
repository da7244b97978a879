"""A whole effect ends by its deadline, whatever the peer does."""

import socket
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

import pytest

from tests.connectors.servers import (
    CERTIFICATE,
    Handler,
    drip,
    idle,
    listening,
    read_request,
    refused_port,
)
from webapp.connectors.base import EffectFailed, EffectRequest
from webapp.connectors.deadline import DeadlinePassed, open_socket, until
from webapp.connectors.webhook import WebhookConnector

SECONDS = 1.0
SLACK = 4.0
"""For a machine that is busy with something else; without a deadline each takes far longer."""


@contextmanager
def ends_at_the_deadline() -> Iterator[float]:
    began = time.monotonic()
    yield began + SECONDS
    took = time.monotonic() - began
    assert SECONDS - 0.05 <= took < SECONDS + SLACK


def webhook(port: int, deadline: float, scheme: str = "http", body: object = None) -> EffectRequest:
    payload = {
        "url": f"{scheme}://localhost:{port}/",
        "method": "POST",
        "headers": {},
        "body": body,
    }
    return EffectRequest("act_1", "webhook", payload, "1", 1, deadline)


def _drip_headers(connection: socket.socket, over: threading.Event) -> None:
    read_request(connection)
    drip(connection, b"HTTP/1.1 200 OK\r\n" + b"X-Slow: yes\r\n" * 1000, over)


def _only_continue(connection: socket.socket, over: threading.Event) -> None:
    read_request(connection)
    drip(connection, b"HTTP/1.1 100 Continue\r\n\r\n" * 1000, over, every=0.001)


def _silence(connection: socket.socket, over: threading.Event) -> None:
    read_request(connection)
    over.wait()


@pytest.mark.parametrize("handler", [_drip_headers, _only_continue, _silence])
@pytest.mark.parametrize("scheme", ["http", "https"])
def test_an_answer_that_drips_in(
    handler: Handler, scheme: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    connector = WebhookConnector(allow=["localhost"])
    with (
        listening(handler, tls=scheme == "https") as server,
        ends_at_the_deadline() as deadline,
        pytest.raises(EffectFailed) as failed,
    ):
        connector.send(webhook(server.port, deadline, scheme))
    # The request went out: nobody knows what became of it.
    assert failed.value.may_have_happened
    assert not failed.value.permanent


def test_a_peer_that_reads_nothing() -> None:
    connector = WebhookConnector(allow=["localhost"])
    body = "x" * 20_000_000
    with (
        listening(idle) as server,
        ends_at_the_deadline() as deadline,
        pytest.raises(EffectFailed) as failed,
    ):
        connector.send(webhook(server.port, deadline, body=body))
    assert failed.value.may_have_happened


def test_a_handshake_that_never_comes(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SSL_CERT_FILE", str(CERTIFICATE))
    connector = WebhookConnector(allow=["localhost"])
    with (
        listening(idle) as server,
        ends_at_the_deadline() as deadline,
        pytest.raises(EffectFailed) as failed,
    ):
        connector.send(webhook(server.port, deadline, "https"))
    # Nothing of ours was said yet.
    assert not failed.value.may_have_happened


def test_a_body_that_drips_in_changes_nothing_once_the_status_is_known() -> None:
    def handler(connection: socket.socket, over: threading.Event) -> None:
        read_request(connection)
        connection.sendall(b"HTTP/1.1 201 Created\r\nContent-Length: 5000\r\n\r\n")
        drip(connection, b"x" * 5000, over)

    connector = WebhookConnector(allow=["localhost"])
    with listening(handler) as server, ends_at_the_deadline() as deadline:
        effect = connector.send(webhook(server.port, deadline))
    assert effect.detail["status"] == 201


def test_a_name_that_takes_too_long_to_look_up(monkeypatch: pytest.MonkeyPatch) -> None:
    answer = threading.Event()
    real = socket.getaddrinfo

    def slow(host: str, port: int, *args: int, **more: int) -> object:
        if not more.get("flags"):
            answer.wait()
        return real(host, port, *args, **more)

    monkeypatch.setattr(socket, "getaddrinfo", slow)
    connector = WebhookConnector(allow=["localhost"])
    try:
        with ends_at_the_deadline() as deadline, pytest.raises(EffectFailed) as failed:
            connector.send(webhook(80, deadline))
    finally:
        answer.set()
    assert not failed.value.may_have_happened
    assert "took too long" in str(failed.value)


def test_a_deadline_in_the_past_touches_nothing() -> None:
    with listening(idle) as server:
        with until(time.monotonic() - 1) as wire, pytest.raises(DeadlinePassed):
            open_socket("127.0.0.1", server.port)
        assert not server.connections
    assert not wire.sent


def test_addresses_are_tried_in_turn(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening(idle) as server:
        found = [
            (socket.AF_INET, socket.SOCK_STREAM, 6, "", ("127.0.0.1", port))
            for port in (refused_port(), server.port)
        ]

        def look_up(*_: object, **more: int) -> object:
            if more.get("flags"):
                raise socket.gaierror
            return found

        monkeypatch.setattr(socket, "getaddrinfo", look_up)
        with until(time.monotonic() + 5), open_socket("two.test", 1) as sock:
            assert sock.getpeername()[1] == server.port
