"""How commands end, whatever they were asked: status, one line, no traceback."""

import os
import pty
import re
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from pathlib import Path

import click
import pytest

from tests.cli.conftest import Run
from tests.fixtures.desk import Desk, make_desk, wait_until
from webapp.cli import main


def _all(group: click.Group, path: tuple[str, ...] = ()) -> Iterator[tuple[str, ...]]:
    for name, command in group.commands.items():
        yield (*path, name)
        if isinstance(command, click.Group):
            yield from _all(command, (*path, name))


COMMANDS = list(_all(main))
LEAVES = [
    path for path in COMMANDS if not any(other[: len(path)] == path != other for other in COMMANDS)
]


@pytest.mark.parametrize("path", COMMANDS, ids=" ".join)
def test_help_explains_with_an_example(run: Run, path: tuple[str, ...]) -> None:
    for option in ("-h", "--help"):
        said = run(*path, option).said
        assert f"Usage: undo-desk {' '.join(path)}" in said
        assert "Example" in said
        assert f"undo-desk {path[0]}" in said.partition("Example")[2]


def test_the_root_lists_every_command_and_its_version(run: Run) -> None:
    said = run("--help").said
    assert all(f"\n  {name}" in said for name in main.commands)
    assert run("--version").said.startswith("undo-desk, version ")


def test_no_command_at_all_is_a_usage_error_that_says_where_the_help_is(run: Run) -> None:
    for path in ((), ("stock",)):
        ran = run(*path)
        assert (ran.status, ran.out) == (2, "")
        assert ran.err.count("\n") == 1
        assert "--help" in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("frobnicate",),
        ("stock", "frobnicate"),
        ("serve", "--port", "65536"),
        ("serve", "--port", "0"),
        ("serve", "--port", "http"),
        ("serve", "--processes", "0"),
        ("serve", "--host", ""),
        ("serve", "--host", "a" * 64 + ".example"),
        ("worker", "--slots", "0"),
        ("demo", "--rate", "-1"),
        ("demo", "--rate", "nan"),
        ("demo", "--rate", "601"),
        ("migrate", "now"),
        ("user", "add"),
        ("user", "add", "ana@example.com"),
        ("user", "add", "ana@example.com", "--role", "boss"),
        ("agent", "add"),
        ("settings", "set", "refund"),
        ("settings", "set", "refund", "mode"),
        ("settings", "set", "refund", "=window"),
        ("settings", "set", "refund", "mode=off", "mode=window"),
        ("stock", "set", "TEE"),
        ("stock", "set", "TEE", "-5"),
        ("customer", "flag"),
        ("pause", "--for", "ever"),
    ],
    ids=" ".join,
)
def test_a_usage_error_is_one_line_and_writes_nothing(
    run: Run, here: Path, arguments: tuple[str, ...]
) -> None:
    assert "--help)" in run(*arguments).usage
    assert not list(here.iterdir())


def test_an_argument_that_is_not_utf8_is_a_usage_error(run: Run) -> None:
    assert "not valid UTF-8" in run("customer", "flag", "c-\udcff").usage


@pytest.mark.parametrize("path", [path for path in LEAVES if path not in {("migrate",), ("demo",)}])
def test_a_wrong_setting_is_refused_by_its_name(
    run: Run, here: Path, path: tuple[str, ...]
) -> None:
    ran = run(*_called(path), lease_seconds="soon")
    assert ran.status == 1
    assert "UNDO_DESK_LEASE_SECONDS" in ran.err
    assert ran.err.count("\n") == 1
    assert not list(here.iterdir())


@pytest.mark.parametrize(
    "path", [path for path in LEAVES if path[0] not in {"migrate", "demo", "sandbox", "doctor"}]
)
def test_without_a_database_every_command_says_migrate_and_makes_none(
    run: Run, here: Path, path: tuple[str, ...]
) -> None:
    assert "undo-desk migrate" in run(*_called(path), stdin="a long password\n").refusal
    assert not list(here.iterdir())


def test_a_misspelled_variable_is_named_and_stops_nothing(run: Run, sqlite_url: str) -> None:
    ran = run("stock", "show", database_url=sqlite_url, worker_slot="8")
    assert ran.status == 0
    assert ran.err == (
        "Warning: UNDO_DESK_WORKER_SLOT means nothing to this version; "
        "did you mean UNDO_DESK_WORKER_SLOTS?\n"
    )


def test_a_reader_that_goes_away_is_no_failure(tmp_path: Path, sqlite_url: str) -> None:
    desk = make_desk(tmp_path / "desk", sqlite_url)
    reader, writer = os.pipe()
    os.close(reader)
    command = [sys.executable, "-m", "webapp", "settings", "show"]
    ran = subprocess.run(
        command,
        cwd=desk.folder,
        env=desk.environ,
        stdout=writer,
        stderr=subprocess.PIPE,
        check=False,
    )
    os.close(writer)
    assert ran.returncode == 1
    assert ran.stderr == b""


def test_ctrl_c_is_quiet(tmp_path: Path, sqlite_url: str) -> None:
    desk = make_desk(tmp_path / "desk", sqlite_url)
    ran, said = _in_a_terminal(
        desk, "user", "add", "ana@example.com", "--role", "staff", keys=[None]
    )
    assert ran == 130
    assert "Traceback" not in said
    assert "Aborted" not in said


def test_the_password_is_asked_twice(tmp_path: Path, sqlite_url: str) -> None:
    desk = make_desk(tmp_path / "desk", sqlite_url)
    keys = ["correct horse battery\n", "correct horse batter\n"] + ["correct horse battery\n"] * 2
    ran, said = _in_a_terminal(desk, "user", "add", "ana@example.com", "--role", "staff", keys=keys)
    assert ran == 0
    assert "correct horse" not in said
    assert said.rstrip().endswith("Added ana@example.com (staff).")


def _called(path: tuple[str, ...]) -> tuple[str, ...]:
    """The command with arguments that it would take."""
    more: dict[tuple[str, ...], tuple[str, ...]] = {
        ("user", "add"): ("ana@example.com", "--role", "staff", "--password-stdin"),
        ("agent", "add"): ("bot",),
        ("settings", "set"): ("refund", "mode=off"),
        ("settings", "replay"): ("refund", "mode=off"),
        ("stock", "import"): ("stock.csv",),
        ("stock", "set"): ("TEE", "5"),
        ("customer", "flag"): ("c-1",),
        ("customer", "unflag"): ("c-1",),
    }
    return (*path, *more.get(path, ()))


_QUESTION = re.compile(rb"(?:Password|Repeat for confirmation): ")


def _in_a_terminal(desk: Desk, *arguments: str, keys: Sequence[str | None]) -> tuple[int, str]:
    """Runs a command on a terminal; each key is typed at the next question, None is Ctrl-C."""
    parent, child = pty.openpty()
    popen = subprocess.Popen(
        [sys.executable, "-m", "webapp", *arguments],
        cwd=desk.folder,
        env=desk.environ,
        stdin=child,
        stdout=child,
        stderr=child,
        start_new_session=True,
    )
    os.close(child)
    said = b""
    asked = 0
    try:
        while piece := _read(parent):
            said += piece
            while len(_QUESTION.findall(said)) > asked:
                key = keys[asked]
                asked += 1
                if key is None:
                    popen.send_signal(signal.SIGINT)
                else:
                    os.write(parent, key.encode())
        return popen.wait(10), said.decode()
    finally:
        os.close(parent)
        if popen.poll() is None:
            popen.kill()
            wait_until(lambda: popen.poll() is not None)


def _read(terminal: int) -> bytes:
    try:
        return os.read(terminal, 4096)
    except OSError:  # Linux says so when the other end is closed
        return b""
