"""The counting peer of the race tests, in its own process, called by the webhook connector."""

import json
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from http.client import HTTPConnection
from pathlib import Path
from typing import Any

from webapp.connectors.base import EffectRequest
from webapp.connectors.webhook import WebhookConnector


def _get(port: int, path: str) -> Any:
    connection = HTTPConnection("127.0.0.1", port, timeout=10)
    try:
        connection.request("GET", path)
        return json.loads(connection.getresponse().read())
    finally:
        connection.close()


def test_it_counts_what_many_threads_did(tmp_path: Path) -> None:
    file = tmp_path / "effects.jsonl"
    command = [sys.executable, "-m", "tests.fixtures.peer", "--port", "0", "--file", str(file)]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as peer:
        try:
            assert peer.stdout is not None
            port = int(peer.stdout.readline())
            connector = WebhookConnector(allow=[f"127.0.0.1:{port}"])
            url = f"http://127.0.0.1:{port}/refunds"
            payload = {"url": url, "method": "POST", "headers": {}, "body": {"ä": 1}}

            def call(number: int) -> None:
                deadline = time.monotonic() + 20
                request = EffectRequest(f"act_{number}", "webhook", payload, "1", 1, deadline)
                connector.send(request)

            before = time.time_ns() // 1000
            with ThreadPoolExecutor(8) as pool:
                list(pool.map(call, range(400)))
            call(7)
            after = time.time_ns() // 1000
            counts = _get(port, "/counts")
            effects = _get(port, "/effects")
        finally:
            peer.terminate()
    assert counts == {f"act_{number}": 2 if number == 7 else 1 for number in range(400)}
    assert {(e["path"], e["body"]) for e in effects} == {("/refunds", '{"ä":1}')}
    assert all(before <= effect["at_us"] <= after for effect in effects)
    assert [json.loads(line) for line in file.read_text().splitlines()] == effects
    assert peer.returncode == 0
