"""`undo-desk demo` from the outside, as a newcomer has it."""

import re
import signal
import stat
from collections.abc import Callable, Iterator
from contextlib import closing
from functools import partial
from pathlib import Path
from time import monotonic
from typing import Any

import pytest
import requests

from tests.cli.conftest import Run
from tests.fixtures.desk import Desk, Process, free_port, make_desk, wait_until
from webapp.config import Settings
from webapp.demo.files import Folder, Running
from webapp.demo.opening import FIRST_LABEL_SECONDS
from webapp.demo.warehouse import Warehouse
from webapp.services.caller import Caller
from webapp.services.desk import Desk as Opened
from webapp.services.read import newest
from webapp.store.engine import Database

STOP_SECONDS = 5.0
"""Where no effect runs; those that do are waited for."""
EFFECT_SECONDS = 5.0
AT_ONCE = 8
"""Actions that a fresh demo shows in its first moment."""


@pytest.fixture
def desk(tmp_path: Path) -> Iterator[Desk]:
    """A working folder with nothing in it, on SQLite in its instance folder."""
    made = make_desk(tmp_path / "demo", "")
    yield made
    made.close()


def _start(desk: Desk, *arguments: str, ready: str = "/readyz") -> Process:
    port = free_port()
    desk.url = f"http://127.0.0.1:{port}"
    process = desk.start("demo", "--port", str(port), *arguments)

    def answers() -> bool:
        assert process.popen.poll() is None, process.log.read_text()
        try:
            return requests.get(desk.url + ready, timeout=5).ok
        except requests.ConnectionError:
            return False

    wait_until(answers, seconds=60, every=0.05)
    return process


def _actions(desk: Desk) -> list[dict[str, Any]]:
    token = (desk.folder / "instance" / "demo-agent.token").read_text().strip()
    answer = requests.get(
        f"{desk.url}/api/v1/actions?limit=200",
        headers={"Authorization": f"Bearer {token}"},
        timeout=10,
    )
    items: list[dict[str, Any]] = answer.json()["items"]
    return items


def _stop(process: Process, how: Callable[[], None], *, seconds: float = STOP_SECONDS) -> None:
    begun = monotonic()
    how()
    process.popen.wait(20)
    assert monotonic() - begun < seconds
    assert process.popen.returncode == 0
    assert "Traceback" not in process.log.read_text()


def test_a_demo_begins_lively_stops_quickly_goes_on_and_begins_anew(desk: Desk) -> None:
    process = _start(desk, "--rate", "240")
    wait_until(lambda: len(_actions(desk)) >= AT_ONCE + 4, seconds=20)
    first = _actions(desk)
    # a newcomer sees a countdown, something to approve, something held, and something under way
    assert {one["state"] for one in first} >= {"scheduled", "awaiting_approval", "held"}
    assert {one["kind"] for one in first} >= {"refund", "label", "reply", "exchange", "webhook"}
    assert any(one["depends_on"] for one in first)
    label = first[-1]
    assert (label["kind"], label["window_seconds"]) == ("label", FIRST_LABEL_SECONDS)
    wait_until(
        lambda: (
            {one["id"]: one["state"] for one in _actions(desk)}[label["id"]]
            in ("executing", "executed")
        ),
        seconds=60,
    )
    said = process.log.read_text()
    assert said.startswith(f"Undo Desk demo:  {desk.url}\n")
    _sign_in_as_said(desk.url, said)
    _stop(process, process.popen.terminate, seconds=STOP_SECONDS + EFFECT_SECONDS)
    kept = len(_actions_kept(desk))

    # again: the same token, people and actions, and no second opening
    process = _start(desk, "--rate", "0")
    assert len(_actions(desk)) == kept
    second = desk.run("demo", "--port", str(free_port()))
    assert (second.returncode, second.stdout) == (1, "")
    assert "runs in" in second.stderr
    interrupt = partial(process.popen.send_signal, signal.SIGINT)
    _stop(process, interrupt, seconds=STOP_SECONDS + EFFECT_SECONDS)

    # anew: nothing of it is left, and what is not the demo's is
    other = desk.folder / "instance" / "notes.txt"
    other.write_text("mine")
    process = _start(desk, "--fresh", "--rate", "0")
    assert _actions(desk) == []
    assert other.read_text() == "mine"
    _stop(process, process.popen.terminate)


def _actions_kept(desk: Desk) -> list[str]:
    url = f"sqlite:///{desk.folder}/instance/undo-desk.db"
    store = Database(url)
    try:
        opened = Opened(store, Settings(database_url=url))
        return [one.id for one in newest(opened, Caller.command(), limit=1_000)]
    finally:
        store.close()


def _sign_in_as_said(url: str, said: str) -> None:
    """Every line that it prints to sign in with does."""
    lines = re.findall(r"sign in as (\w+) +(\S+) +(\S+)", said)
    assert [role for role, *_ in lines] == ["staff", "admin"]
    for _, email, password in lines:
        browser = requests.Session()
        page = browser.get(f"{url}/login", timeout=10).text
        found = re.search(r'name="csrf-token" content="([^"]+)"', page)
        assert found
        form = {"email": email, "password": password, "csrf_token": found[1]}
        answer = browser.post(f"{url}/login", data=form, timeout=10)
        assert answer.ok
        assert "/login" not in answer.url
        assert browser.get(url, timeout=10).ok


def test_it_keeps_its_token_to_itself(desk: Desk) -> None:
    process = _start(desk, "--rate", "0")
    file = desk.folder / "instance" / "demo-agent.token"
    assert stat.S_IMODE(file.stat().st_mode) == 0o600
    assert file.read_text().strip() not in process.log.read_text()
    _stop(process, process.popen.terminate)


def test_postgresql_has_a_demo_too(tmp_path: Path, postgresql_url: str) -> None:
    made = make_desk(tmp_path / "demo", postgresql_url)
    try:
        process = _start(made)
        wait_until(lambda: len(_actions(made)) >= AT_ONCE, seconds=20)
        _stop(process, process.popen.terminate)
        refused = made.run("demo", "--fresh", "--port", str(free_port()))
        assert (refused.returncode, refused.stdout) == (1, "")
        assert "empties the instance folder only" in refused.stderr
    finally:
        made.close()


@pytest.mark.parametrize("more", [(), ("--fresh",)])
def test_a_real_desk_is_left_alone(run: Run, here: Path, more: tuple[str, ...]) -> None:
    assert run("migrate").said
    add = ("user", "add", "ana@example.com", "--role", "admin", "--password-stdin")
    assert run(*add, stdin="correct horse battery\n").said
    before = (here / "instance" / "undo-desk.db").read_bytes()
    assert "does not mix" in run("demo", *more, "--port", str(free_port())).refusal
    assert (here / "instance" / "undo-desk.db").read_bytes() == before
    assert not (here / "instance" / "demo-agent.token").exists()


def test_two_folders_do_not_lock_each_other(tmp_path: Path) -> None:
    one, other, same = Folder(tmp_path / "a"), Folder(tmp_path / "b"), Folder(tmp_path / "a")
    one.lock()
    other.lock()
    with pytest.raises(Running):
        same.lock()


def test_what_cannot_be_read_is_not_remembered(tmp_path: Path) -> None:
    folder = Folder(tmp_path / "a")
    assert (folder.memory(), folder.token()) == ({}, None)
    (folder.path / "demo.json").write_text("[")
    assert folder.memory() == {}
    folder.remember({"warehouse_port": 5})
    assert folder.memory() == {"warehouse_port": 5}


def test_the_warehouse_answers_on_its_old_port_or_another() -> None:
    with closing(Warehouse(None)) as first:
        first.start()
        with closing(Warehouse(first.port)) as second:
            assert second.port != first.port
        answer = requests.post(f"http://{first.address}/parcels/KA-1/stop", json={}, timeout=5)
        assert answer.json() == {"parcel": "stopped"}
