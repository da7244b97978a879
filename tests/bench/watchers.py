"""Many screens in one process: raw sockets that take what comes and note when."""

import re
import resource
import selectors
import socket
import time
from dataclasses import dataclass, field
from typing import Any

_MARK = re.compile(rb'"id":"([^"]+)","version":(\d+)')
_HANDSHAKE = (
    "GET {path} HTTP/1.1\r\nHost: {host}:{port}\r\nOrigin: http://{host}:{port}\r\n"
    "Cookie: {cookie}\r\nConnection: Upgrade\r\nUpgrade: websocket\r\n"
    "Sec-WebSocket-Version: 13\r\nSec-WebSocket-Key: MDEyMzQ1Njc4OWFiY2RlZg==\r\n\r\n"
)
_PING, _PONG = 0x9, 0x8A
_PLAIN_MASK = b"\0\0\0\0"
_FILES = 8_192


@dataclass
class Seen:
    """What the screens saw: by mark (`ID VERSION`) how many had it, and when the last had."""

    count: dict[str, int] = field(default_factory=dict)
    last_ns: dict[str, int] = field(default_factory=dict)
    frame_bytes: int = 0
    """The largest marked frame."""
    lost: int = 0
    """Screens that the server cut."""


class _Screen:
    """One connection and what has come of a frame."""

    def __init__(self, host: str, port: int, cookie: str, path: str) -> None:
        self.sock = socket.create_connection((host, port), timeout=30)
        asked = _HANDSHAKE.format(path=path, host=host, port=port, cookie=cookie)
        self.sock.sendall(asked.encode())
        head = b""
        while b"\r\n\r\n" not in head:
            part = self.sock.recv(4096)
            if not part:
                raise ConnectionError("the handshake was cut")
            head += part
        status, _, rest = head.partition(b"\r\n")
        if b" 101 " not in status:
            raise ConnectionError(status.decode())
        self.buffer = bytearray(rest.partition(b"\r\n\r\n")[2])
        self.sock.setblocking(False)


def run(ready: Any, stop: Any, where: tuple[str, int, str, str], number: int, marks: bool) -> Seen:
    """Watches with `number` screens until stopped. Without `marks` what comes is thrown away.

    `where`: host, port, cookie, path. Ready when each has had its first frame.
    """
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (max(soft, min(_FILES, hard)), hard))
    seen = Seen()
    selector = selectors.DefaultSelector()
    screens = [_Screen(*where) for _ in range(number)]
    for screen in screens:
        selector.register(screen.sock, selectors.EVENT_READ, screen)
    silent = {screen for screen in screens if not screen.buffer}
    while not stop.is_set():
        if not silent and not ready.is_set():
            ready.set()
        for key, _ in selector.select(0.2):
            screen = key.data
            try:
                part = screen.sock.recv(1 << 18)
            except OSError:
                part = b""
            if not part:
                seen.lost += 1
                selector.unregister(screen.sock)
            elif marks or len(part) < 64:
                screen.buffer += part
                _frames(screen, seen)
            silent.discard(screen)
    for screen in screens:
        screen.sock.close()
    return seen


def _frames(screen: _Screen, seen: Seen) -> None:
    buffer, start = screen.buffer, 0
    while len(buffer) - start >= 2:
        size, head = buffer[start + 1] & 0x7F, 2
        if size >= 126:
            head = 4 if size == 126 else 10
            if len(buffer) - start < head:
                break
            size = int.from_bytes(buffer[start + 2 : start + head], "big")
        end = start + head + size
        if len(buffer) < end:
            break
        _take(screen, buffer[start] & 0x0F, buffer, start + head, end, seen)
        start = end
    del buffer[:start]


def _take(screen: _Screen, kind: int, buffer: bytearray, low: int, high: int, seen: Seen) -> None:
    if kind == _PING:
        # RFC 6455, 5.5.3: the same bytes come back, masked; by zeros they stay as they are.
        pong = bytes((_PONG, 0x80 | (high - low))) + _PLAIN_MASK + buffer[low:high]
        screen.sock.send(pong)
        return
    found = _MARK.search(buffer, low, min(high, low + 300))
    if found is not None:
        mark = f"{found[1].decode()} {found[2].decode()}"
        seen.count[mark] = seen.count.get(mark, 0) + 1
        seen.last_ns[mark] = time.time_ns()
        seen.frame_bytes = max(seen.frame_bytes, high - low)
