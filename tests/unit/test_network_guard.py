"""The guard that keeps tests on loopback does bite. Each test forgets what it provoked."""

import socket

import pytest
import requests

from tests.fixtures.network import refused


def test_an_address_outside_is_refused() -> None:
    # 192.0.2.0/24 is for documentation (RFC 5737): nobody is there even without a guard
    with socket.socket() as outside, pytest.raises(PermissionError):
        outside.connect(("192.0.2.1", 80))
    assert refused == ["socket.connect '192.0.2.1'"]
    refused.clear()


def test_a_library_that_hides_the_error_does_not_hide_the_attempt() -> None:
    with pytest.raises((PermissionError, requests.ConnectionError)):
        requests.get("http://example.com/", timeout=1)
    assert refused == ["socket.getaddrinfo 'example.com'"]
    refused.clear()


def test_loopback_and_reserved_names_need_no_network() -> None:
    with socket.create_server(("127.0.0.1", 0)) as server:
        socket.create_connection(server.getsockname()).close()
    with pytest.raises(socket.gaierror):
        socket.getaddrinfo("nowhere.invalid", 80)
    assert refused == []
