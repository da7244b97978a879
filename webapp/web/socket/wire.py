"""WebSocket framing (RFC 6455), no more of it than a socket needs that only speaks.

Outgoing frames are built once and shared by every screen. Incoming bytes are parsed without
being kept: of data frames only the length matters, of control frames at most 125 bytes.
"""

import struct
from enum import IntEnum

PING_FRAME = b"\x89\x00"
_DATA = (0x0, 0x1, 0x2)


class Opcode(IntEnum):
    """The control frames of section 5.5."""

    CLOSE = 0x8
    PING = 0x9
    PONG = 0xA


_CONTROL = frozenset(Opcode)


class Close(IntEnum):
    """Why the server hung up: section 7.4.1, and 4000 upwards of our own."""

    NORMAL = 1000
    GOING_AWAY = 1001
    PROTOCOL_ERROR = 1002
    POLICY = 1008
    TRY_LATER = 1013
    SIGNED_OUT = 4401


class ProtocolError(Exception):
    """The peer does not speak WebSocket."""


def text_frame(text: str) -> bytes:
    """One unfragmented, unmasked text frame."""
    payload = text.encode()
    size = len(payload)
    if size < 126:
        return bytes((0x81, size)) + payload
    if size < 0x1_0000:
        return struct.pack("!BBH", 0x81, 126, size) + payload
    return struct.pack("!BBQ", 0x81, 127, size) + payload


def pong_frame(payload: bytes) -> bytes:
    """The answer to a ping, with the ping's own payload."""
    return bytes((0x80 | Opcode.PONG, len(payload))) + payload


def close_frame(code: int) -> bytes:
    """A close frame with a status code and no words."""
    return bytes((0x80 | Opcode.CLOSE, 2)) + struct.pack("!H", code)


def close_reply(payload: bytes) -> bytes:
    """The answer to a close frame: its status code, or none where it had none (5.5.1)."""
    code = payload[:2] if len(payload) >= 2 else b""
    return bytes((0x80 | Opcode.CLOSE, len(code))) + code


class Inbound:
    """What a browser sends us, byte by byte if it likes; at most 131 bytes are held."""

    __slots__ = ("_rest", "_skip")

    def __init__(self) -> None:
        self._rest = b""
        self._skip = 0

    def feed(self, data: bytes) -> list[tuple[Opcode, bytes]]:
        """The control frames that `data` completes, unmasked; data frames are passed over.

        Raises ProtocolError for what section 5 forbids.
        """
        if self._skip >= len(data):
            self._skip -= len(data)
            return []
        buffer = self._rest + data[self._skip :]
        self._skip = 0
        at = 0
        found: list[tuple[Opcode, bytes]] = []
        while len(buffer) - at >= 2:
            opcode, size, header = _header(buffer, at)
            if opcode in _DATA:
                if len(buffer) - at < header:
                    break
                end = at + header + _length(buffer, at, size)
                if end > len(buffer):
                    self._skip = end - len(buffer)
                    end = len(buffer)
            else:
                end = at + header + size
                if end > len(buffer):
                    break
                found.append((Opcode(opcode), _unmask(buffer[at + 2 : end])))
            at = end
        self._rest = buffer[at:]
        return found


def _header(buffer: bytes, at: int) -> tuple[int, int, int]:
    """Opcode, the seven-bit length and the header's size in bytes, mask key included."""
    first, second = buffer[at], buffer[at + 1]
    opcode, size = first & 0x0F, second & 0x7F
    if first & 0x70:
        raise ProtocolError("a reserved bit is set")
    if not second & 0x80:
        raise ProtocolError("a frame is not masked")
    if opcode in _DATA:
        return opcode, size, 6 + {126: 2, 127: 8}.get(size, 0)
    if opcode not in _CONTROL:
        raise ProtocolError("unknown opcode")
    if not first & 0x80 or size > 125:
        raise ProtocolError("a control frame is too long or in pieces")
    return opcode, size, 6


def _length(buffer: bytes, at: int, size: int) -> int:
    if size == 126:
        return int.from_bytes(buffer[at + 2 : at + 4])
    if size == 127:
        return int.from_bytes(buffer[at + 2 : at + 10])
    return size


def _unmask(masked: bytes) -> bytes:
    """The payload behind a four-byte mask key."""
    key = masked[:4]
    return bytes(byte ^ key[index & 3] for index, byte in enumerate(masked[4:]))
