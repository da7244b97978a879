"""`serve`: starting, ending, and what gunicorn must not do to us."""

import signal
import socket
import subprocess
import sys
import time
from pathlib import Path

import pytest

from tests.web.socket_client import ROOT, Client, running, until


def test_sigterm_says_goodbye_to_the_screens_and_ends_at_once() -> None:
    with running("effect=0") as desk:
        screens = [desk.screen() for _ in range(20)]
        with socket.create_connection(("127.0.0.1", desk.port)) as poll:
            poll.sendall(b"GET /wait HTTP/1.1\r\nHost: a\r\n\r\n")
            until(lambda: desk.stats()["screens"] == 20)
            seconds, errors = desk.end()
            assert poll.recv(65_536).endswith(b"stopping"), "a long poll is let go"
        assert seconds < 5
        assert errors == ""
        assert {screen.closed_with() for screen in screens} == {1001}
        for screen in screens:
            screen.sock.close()


def test_sigterm_does_not_wait_for_screens_that_do_not_answer_or_requests_that_hang() -> None:
    with running("effect=0") as desk, desk.screen(), Client(desk.port, "Ben:staff:s2"):
        with socket.create_connection(("127.0.0.1", desk.port)) as hanging:
            hanging.sendall(b"GET /hang HTTP/1.1\r\nHost: a\r\n\r\n")
            seconds, _ = desk.end()
        assert seconds < 5


@pytest.mark.parametrize("signum", [signal.SIGTERM, signal.SIGINT])
def test_an_effect_in_flight_may_end(signum: signal.Signals) -> None:
    with running("effect=4") as desk:
        seconds, errors = desk.end(signum)
        assert errors.strip() == "effect ended"
        assert 4 <= seconds < 9


def test_a_port_in_use_is_one_line_and_exit_1() -> None:
    with running() as desk:
        second = subprocess.run(
            [sys.executable, "-m", "tests.web.socket_desk", str(desk.port)],
            cwd=ROOT,
            capture_output=True,
            text=True,
            timeout=30,
            check=False,
        )
        assert second.returncode == 1
        assert second.stderr.splitlines() == [
            f"Error: can't listen on 127.0.0.1:{desk.port}: Address already in use"
        ]


def test_clients_that_never_close_do_not_hold_up_the_others() -> None:
    """gunicorn 27 would wait up to 2 s for each of them in its accept loop."""
    with running() as desk:
        idle = [socket.create_connection(("127.0.0.1", desk.port)) for _ in range(20)]
        for sock in idle[:6]:
            sock.sendall(b"GET /stats HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n")
            assert sock.recv(12) == b"HTTP/1.1 200"
        began = time.monotonic()
        desk.stats()
        assert time.monotonic() - began < 10  # 14 of them still say nothing
        for sock in idle:
            sock.close()


def test_screens_are_not_counted_among_gunicorns_connections() -> None:
    """What `DeskWorker` rests on: a wrong count would shut new connections out, or never end."""
    with running("threads=2") as desk:
        for _ in range(30):
            desk.screen().sock.close()
        screens = [desk.screen() for _ in range(30)]
        # the one that asks
        until(lambda: desk.stats()["connections"] == [1])
        assert desk.stats()["screens"] == 30
        seconds, errors = desk.end()
        assert seconds < 5
        assert errors == ""
        for screen in screens:
            screen.sock.close()


def test_rubbish_instead_of_http_is_refused() -> None:
    with running() as desk:
        with socket.create_connection(("127.0.0.1", desk.port)) as sock:
            sock.sendall(b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03\r\n\r\n")
            assert sock.recv(12) == b"HTTP/1.1 400"
        assert desk.stats()["screens"] == 0


def test_nothing_is_left_behind_in_the_file_system(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No control socket, no pid file, no heartbeat file."""
    for name in ("TMPDIR", "HOME", "XDG_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    with running() as desk, desk.screen():
        assert list(tmp_path.rglob("*")) == []
