"""A screen for the tests: raw enough to misbehave, and the process that serves it."""

import base64
import json
import os
import signal
import socket
import struct
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self

import requests

from tests.fixtures.desk import free_port

ROOT = Path(__file__).resolve().parents[2]
PATIENCE = 10.0
TEXT, CLOSE, PING, PONG = 0x1, 0x8, 0x9, 0xA


def until(condition: Callable[[], bool], seconds: float = PATIENCE) -> float:
    """Seconds it took the condition to hold; fails after `seconds`."""
    began = time.monotonic()
    while not condition():
        assert time.monotonic() - began < seconds, "it never came true"
        time.sleep(0.01)
    return time.monotonic() - began


class Desk:
    """`tests.web.socket_desk` in a process of its own."""

    def __init__(self, *options: str) -> None:
        self.port = free_port()
        self.origin = f"http://127.0.0.1:{self.port}"
        self._http = requests.Session()
        self._http.headers["Connection"] = "close"
        self.process = subprocess.Popen(
            [sys.executable, "-m", "tests.web.socket_desk", str(self.port), *options],
            cwd=ROOT,
            stderr=subprocess.PIPE,
            text=True,
        )
        until(self._answers)

    def _answers(self) -> bool:
        assert self.process.poll() is None, "the desk did not start"
        try:
            self.stats()
        except requests.ConnectionError:
            return False
        return True

    def post(self, path: str, **kwargs: Any) -> str:
        answer = self._http.post(self.origin + path, timeout=PATIENCE, **kwargs)
        answer.raise_for_status()
        return answer.text

    def stats(self) -> dict[str, Any]:
        found: dict[str, Any] = self._http.get(self.origin + "/stats", timeout=PATIENCE).json()
        return found

    def screen(self, who: str = "Asha:staff:s1", after: object = None, **kwargs: Any) -> "Client":
        """A screen that has had its hello."""
        client = Client(self.port, who, after, **kwargs)
        client.hello = client.message()
        assert client.hello["type"] == "hello"
        return client

    def end(self, signum: signal.Signals = signal.SIGTERM) -> tuple[float, str]:
        """Seconds until it ended, and what it wrote on standard error."""
        began = time.monotonic()
        self.process.send_signal(signum)
        _, errors = self.process.communicate(timeout=60)
        return time.monotonic() - began, errors


@contextmanager
def running(*options: str) -> Iterator[Desk]:
    desk = Desk(*options)
    try:
        yield desk
    finally:
        if desk.process.poll() is None:
            desk.end()


class Client:
    """A WebSocket client that does nothing of its own accord."""

    def __init__(
        self,
        port: int,
        who: str = "Asha:staff:s1",
        after: object = None,
        *,
        headers: Mapping[str, str | None] | None = None,
        receive_buffer: int | None = None,
    ) -> None:
        self.hello: dict[str, Any] = {}
        self._buffer = b""
        self.sock = socket.socket()
        if receive_buffer:
            self.sock.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, receive_buffer)
        self.sock.settimeout(PATIENCE)
        self.sock.connect(("127.0.0.1", port))
        sent: dict[str, str | None] = {
            "Host": f"127.0.0.1:{port}",
            "Origin": f"http://127.0.0.1:{port}",
            "Cookie": f"who={who}",
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Sec-WebSocket-Version": "13",
            "Sec-WebSocket-Key": base64.b64encode(os.urandom(16)).decode(),
            "Sec-WebSocket-Extensions": "permessage-deflate",
        }
        sent.update(headers or {})
        query = "" if after is None else f"?after={after}"
        lines = [f"{name}: {value}" for name, value in sent.items() if value is not None]
        head = "\r\n".join([f"GET /feed/socket{query} HTTP/1.1", *lines, "", ""])
        self.sock.sendall(head.encode())
        while b"\r\n\r\n" not in self._buffer:
            self._buffer += self._receive()
        self.answer, _, self._buffer = self._buffer.partition(b"\r\n\r\n")
        self.status = int(self.answer.split()[1])

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.sock.close()

    def frame(self) -> tuple[int, bytes]:
        """The next frame of any kind."""
        size = self._take(2)[1]
        if size == 126:
            size = int.from_bytes(self._take(2, at=2))
            head = 4
        elif size == 127:
            size = int.from_bytes(self._take(8, at=2))
            head = 10
        else:
            head = 2
        self._take(size, at=head)
        opcode = self._buffer[0] & 0x0F
        payload, self._buffer = self._buffer[head : head + size], self._buffer[head + size :]
        return opcode, payload

    def message(self) -> dict[str, Any]:
        """The next text frame but presence and beats, answering pings on the way."""
        while True:
            opcode, payload = self.frame()
            if opcode == PING:
                self.send(PONG, payload)
            if opcode == CLOSE:
                raise EOFError(payload)
            if opcode == TEXT:
                found: dict[str, Any] = json.loads(payload)
                if found["type"] not in ("presence", "beat"):
                    return found

    def rows(self, count: int) -> list[int]:
        """The cursors of the next rows."""
        return [int(self.message()["cursor"]) for _ in range(count)]

    def closed_with(self) -> int | None:
        """The close code, once the server has closed. None: without a close frame."""
        code = None
        try:
            while True:
                opcode, payload = self.frame()
                if opcode == CLOSE:
                    code = int.from_bytes(payload[:2]) if payload else 0
                    self.sock.shutdown(socket.SHUT_WR)
        except (EOFError, ConnectionError):
            return code

    def send(self, opcode: int, payload: bytes = b"") -> None:
        self.sock.sendall(masked(opcode, payload))

    def _take(self, size: int, at: int = 0) -> bytes:
        while len(self._buffer) < at + size:
            self._buffer += self._receive()
        return self._buffer[at : at + size]

    def _receive(self) -> bytes:
        data = self.sock.recv(65_536)
        if not data:
            raise EOFError
        return data


def masked(opcode: int, payload: bytes = b"", first: int = 0x80) -> bytes:
    """A frame as browsers send it."""
    key = b"\x11\x22\x33\x44"
    size = len(payload)
    length = bytes((0x80 | size,)) if size < 126 else b"\xfe" + struct.pack("!H", size)
    body = bytes(byte ^ key[index % 4] for index, byte in enumerate(payload))
    return bytes((first | opcode,)) + length + key + body
