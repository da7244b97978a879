"""One screen's socket: sends without waiting, keeps what did not fit, gives up on who stopped.

Used by the broadcaster's thread alone.
"""

import contextlib
import socket
from collections import deque

from webapp.web.socket.screen import Screen
from webapp.web.socket.wire import (
    Close,
    Inbound,
    Opcode,
    ProtocolError,
    close_frame,
    close_reply,
    pong_frame,
)

READ_BYTES = 4096
MOST_INPUT = 16_384
"""Bytes a screen may send between two beats; it has nothing to say but pongs."""
MOST_WAITING = 1024 * 1024
"""Bytes that may wait for a slow screen; the frames are shared, so this counts no copies."""


class Link:
    """`ended` once the socket is of no more use; the broadcaster then forgets the link."""

    __slots__ = (
        "_inbound",
        "_input",
        "_waiting",
        "_waiting_bytes",
        "beat_at",
        "closing_since",
        "ended",
        "greeted",
        "presence",
        "screen",
        "sock",
        "stalled_since",
        "unheard",
    )

    def __init__(self, sock: socket.socket, screen: Screen) -> None:
        self.sock = sock
        self.screen = screen
        self.beat_at = 0.0
        self.greeted = False
        self.unheard = 0
        """Beats since anything came in; each carries a ping, so a live browser keeps this at 0."""
        self.presence = b""
        """The last presence frame sent."""
        self.ended = False
        self.closing_since: float | None = None
        self.stalled_since: float | None = None
        """Since when the socket has taken nothing, while something waits."""
        self._inbound = Inbound()
        self._input = 0
        self._waiting: deque[bytes | memoryview] | None = None
        self._waiting_bytes = 0

    @property
    def backed_up(self) -> bool:
        """Something waits for the socket to take it."""
        return self._waiting is not None

    def send(self, data: bytes, now: float) -> None:
        """Whole frames, in order; never waits. Closing and ended links swallow them."""
        if self.ended or self.closing_since is not None:
            return
        self._write(data, now)

    def close(self, code: Close, now: float) -> None:
        """Our side of the closing handshake; the socket ends when the peer answers."""
        self._say_goodbye(close_frame(code), now)

    def flush(self, now: float) -> None:
        """Sends what waits, as much as the socket takes."""
        waiting = self._waiting
        while waiting:
            sent = self._try(waiting[0])
            if sent:
                self.stalled_since = now
                self._waiting_bytes -= sent
            if sent < len(waiting[0]):
                waiting[0] = memoryview(waiting[0])[sent:]
                return
            waiting.popleft()
        self._waiting = None
        self.stalled_since = None
        if self.closing_since is not None:
            self._hang_up()

    def read(self, now: float) -> None:
        """Answers pings and the closing handshake, ignores the rest, cuts off a flood."""
        try:
            data = self.sock.recv(READ_BYTES)
        except BlockingIOError:
            return
        except OSError:
            data = b""
        if not data:
            self.ended = True
            return
        self.unheard = 0
        self._input += len(data)
        if self._input > MOST_INPUT:
            self.ended = self.closing_since is not None
            self.close(Close.POLICY, now)
            return
        if self.closing_since is not None:
            return
        try:
            events = self._inbound.feed(data)
        except ProtocolError:
            self.close(Close.PROTOCOL_ERROR, now)
            return
        for opcode, payload in events:
            if opcode is Opcode.PING:
                self.send(pong_frame(payload), now)
            elif opcode is Opcode.CLOSE:
                self._say_goodbye(close_reply(payload), now)

    def new_round(self) -> None:
        """From one beat to the next: a fresh allowance, and one more beat unheard."""
        self.unheard += 1
        self._input = 0

    def cut(self) -> None:
        """Closes the socket without a word."""
        self.ended = True
        self._waiting = None
        with contextlib.suppress(OSError):
            self.sock.close()

    def _say_goodbye(self, frame: bytes, now: float) -> None:
        if self.ended or self.closing_since is not None:
            return
        self._write(frame, now)
        self.closing_since = now
        if not self.backed_up:
            self._hang_up()

    def _hang_up(self) -> None:
        """No more from us; reading goes on until the peer has closed, or a reset eats our words."""
        try:
            self.sock.shutdown(socket.SHUT_WR)
        except OSError:
            self.ended = True

    def _write(self, data: bytes, now: float) -> None:
        if self._waiting is not None:
            self._waiting.append(data)
            self._waiting_bytes += len(data)
            if self._waiting_bytes > MOST_WAITING:
                self.ended = True
            return
        sent = self._try(data)
        if sent < len(data):
            self._waiting = deque([memoryview(data)[sent:]])
            self._waiting_bytes = len(data) - sent
            self.stalled_since = now

    def _try(self, data: bytes | memoryview) -> int:
        """How much the socket took; all of it where the link has ended."""
        try:
            return self.sock.send(data)
        except BlockingIOError:
            return 0
        except OSError:
            self.ended = True
            return len(data)
