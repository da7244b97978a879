"""Peers on loopback that behave as the tests say, down to the byte."""

import socket
import ssl
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from pathlib import Path

CERTIFICATE = Path(__file__).parent / "loopback.pem"
"""Self-signed, for localhost, api.test and 127.0.0.1, with its key, of use to nobody else."""

Handler = Callable[[socket.socket, threading.Event], None]
"""Serves one connection; the event is set when the test is over."""


@dataclass
class Listening:
    """A server that is up."""

    port: int
    connections: list[socket.socket] = field(default_factory=list)


@contextmanager
def listening(handler: Handler, *, tls: bool = False) -> Iterator[Listening]:
    """Hands each connection to `handler` in a thread of its own."""
    context = _server_context() if tls else None
    over = threading.Event()
    threads: list[threading.Thread] = []
    with socket.create_server(("127.0.0.1", 0)) as listener:
        server = Listening(listener.getsockname()[1])

        def accept() -> None:
            while True:
                connection, _ = listener.accept()
                if over.is_set():
                    connection.close()
                    return
                # A duplicate: TLS takes the socket itself over.
                server.connections.append(connection.dup())
                serving = (connection, server.connections[-1], context, handler, over)
                threads.append(threading.Thread(target=_serve, args=serving))
                threads[-1].start()

        accepting = threading.Thread(target=accept)
        accepting.start()
        try:
            yield server
        finally:
            over.set()
            with socket.socket() as waker:
                waker.connect(listener.getsockname())
            accepting.join()
            for connection in server.connections:
                _shut(connection)
            for thread in threads:
                thread.join()
            for connection in server.connections:
                connection.close()


def read_request(connection: socket.socket) -> bytes:
    """One HTTP request with its body."""
    data = b""
    while b"\r\n\r\n" not in data:
        data += _more(connection)
    head, _, body = data.partition(b"\r\n\r\n")
    lines = (line.lower().split(b":") for line in head.split(b"\r\n"))
    length = next((int(line[1]) for line in lines if line[0] == b"content-length"), 0)
    while len(body) < length:
        body += _more(connection)
    return head + b"\r\n\r\n" + body


def idle(_: socket.socket, over: threading.Event) -> None:
    """Says nothing."""
    over.wait()


def hang_up(connection: socket.socket, _: threading.Event) -> None:
    """Takes a request and goes away."""
    read_request(connection)


def drip(
    connection: socket.socket, data: bytes, over: threading.Event, every: float = 0.02
) -> None:
    """A byte at a time, so that no single read ever waits long."""
    for number in range(len(data)):
        if over.wait(every):
            return
        connection.sendall(data[number : number + 1])


def _serve(
    plain: socket.socket,
    same: socket.socket,
    context: ssl.SSLContext | None,
    handler: Handler,
    over: threading.Event,
) -> None:
    # A client that goes away is what many of these tests are about.
    with plain, suppress(OSError):
        connection = context.wrap_socket(plain, server_side=True) if context else plain
        with connection:
            handler(connection, over)
    _shut(same)


def _shut(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


def _server_context() -> ssl.SSLContext:
    context = ssl.SSLContext(ssl.PROTOCOL_TLS_SERVER)
    context.load_cert_chain(CERTIFICATE)
    return context


def refused_port() -> int:
    """A port that nobody listens on."""
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
    return port


def _more(connection: socket.socket) -> bytes:
    data = connection.recv(65536)
    if not data:
        raise ConnectionError("the client went away")
    return data
