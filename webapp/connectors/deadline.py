"""The whole deadline of an effect, enforced on the socket.

A library's `timeout=` is per read, so a peer that sends a byte now and then keeps a call alive for
ever. Sockets opened here look at the current effect's deadline before *every* operation, whichever
library uses them, and raise `DeadlinePassed` once it is over. Name look-ups, which no timeout
reaches, are waited for only that long.
"""

import socket
import ssl
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any

Address = tuple[socket.AddressFamily, tuple[Any, ...]]
"""A family and what `connect` takes."""


class DeadlinePassed(TimeoutError):
    """The effect's time is over."""


class Wire:
    """What the current effect did to the network."""

    def __init__(self, deadline: float) -> None:
        self.deadline = deadline
        self.sent = False
        """Whether any byte of the application was handed to the network."""

    def remaining(self) -> float:
        """Seconds left, above 0. Raises DeadlinePassed."""
        left = self.deadline - time.monotonic()
        if left <= 0:
            raise DeadlinePassed("the time for this effect is over")
        return left


_current: ContextVar[Wire] = ContextVar("wire")


@contextmanager
def until(deadline: float) -> Iterator[Wire]:
    """All sockets of this module used inside end by `deadline` (`time.monotonic()`)."""
    wire = Wire(deadline)
    token = _current.set(wire)
    try:
        yield wire
    finally:
        _current.reset(token)


class DeadlineSocket(socket.socket):
    """A plain socket under the current deadline."""

    def recv_into(self, *args: Any, **kwargs: Any) -> int:
        self.settimeout(_current.get().remaining())
        return super().recv_into(*args, **kwargs)

    def sendall(self, *args: Any, **kwargs: Any) -> None:
        wire = _current.get()
        # CPython counts a `sendall` against one timeout as a whole, partial sends included.
        self.settimeout(wire.remaining())
        wire.sent = True
        super().sendall(*args, **kwargs)


class DeadlineTLSSocket(ssl.SSLSocket):
    """A TLS socket under the current deadline; `sendall` and `recv_into` end in these."""

    def do_handshake(self, block: bool = False) -> None:
        self.settimeout(_current.get().remaining())
        super().do_handshake(block)

    def read(self, *args: Any, **kwargs: Any) -> Any:
        self.settimeout(_current.get().remaining())
        return super().read(*args, **kwargs)

    def send(self, *args: Any, **kwargs: Any) -> int:
        wire = _current.get()
        self.settimeout(wire.remaining())
        wire.sent = True
        return super().send(*args, **kwargs)


def tls_context(*, verify: bool = True) -> ssl.SSLContext:
    """A client context whose sockets keep the deadline. OpenSSL's `SSL_CERT_FILE` is honoured."""
    context = ssl.create_default_context()
    if not verify:
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
    context.sslsocket_class = DeadlineTLSSocket
    return context


def open_socket(
    host: str, port: int, refuse: Callable[[Sequence[Address]], None] | None = None
) -> DeadlineSocket:
    """A socket connected to one of the host's addresses, tried in order.

    `refuse` sees all of them first and raises to refuse; what it saw is what is connected to.
    Raises OSError (`socket.gaierror` for the name, DeadlinePassed) when none answers.
    """
    wire = _current.get()
    addresses = _resolve(host, port, wire)
    if refuse is not None:
        refuse(addresses)
    failure: OSError = OSError(f"{host} has no address")
    for number, (family, where) in enumerate(addresses):
        sock = DeadlineSocket(family, socket.SOCK_STREAM)
        try:
            # An address that swallows packets leaves time for the ones after it.
            sock.settimeout(wire.remaining() / (len(addresses) - number))
            sock.connect(where)
            sock.setsockopt(socket.IPPROTO_TCP, socket.TCP_NODELAY, 1)
            sock.settimeout(wire.remaining())
        except OSError as error:
            sock.close()
            failure = error
        else:
            return sock
    raise failure


def _resolve(host: str, port: int, wire: Wire) -> list[Address]:
    try:
        return _addresses(host, port, socket.AI_NUMERICHOST)
    except (socket.gaierror, UnicodeError):
        pass
    found: list[list[Address] | OSError] = []
    done = threading.Event()

    def look() -> None:
        try:
            found.append(_addresses(host, port))
        except OSError as error:
            found.append(error)
        except UnicodeError:
            found.append(socket.gaierror(socket.EAI_NONAME, "not a host name"))
        finally:
            done.set()

    # A thread of its own, because nothing can interrupt `getaddrinfo`; a daemon, so that an exit
    # does not wait for it.
    threading.Thread(target=look, name="resolve", daemon=True).start()
    if not done.wait(wire.remaining()):
        raise DeadlinePassed(f"looking up {host} took too long")
    if isinstance(found[0], OSError):
        raise found[0]
    return found[0]


def _addresses(host: str, port: int, flags: int = 0) -> list[Address]:
    rows = socket.getaddrinfo(host, port, type=socket.SOCK_STREAM, flags=flags)
    return [(family, where) for family, _, _, _, where in rows]
