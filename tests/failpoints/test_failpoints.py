"""Failpoints are for tests: production has nothing there, whatever its environment says."""

import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest
import requests
from sqlalchemy.exc import OperationalError

from tests.failpoints import VARIABLE
from tests.failpoints.handler import EXIT_STATUS, Handler, Spec
from tests.fixtures.desk import Desk
from tests.unit.bodies import body

ROOT = Path(__file__).resolve().parents[2]
POINT = "draft.after-commit"


def _draft(new_desk: Callable[..., Desk], url: str, program: str) -> int:
    """The answer to a draft on a desk whose environment asks for a kill."""
    desk = new_desk(url)
    token = desk.run("agent", "add", "bot").stdout.split()[-1]
    asked = {VARIABLE: f"{POINT}:kill", "PYTHONPATH": str(ROOT)}
    desk.environ, desk.program = {**desk.environ, **asked}, program
    desk.serve("--no-worker")
    return requests.post(
        f"{desk.url}/api/v1/actions",
        json=body(),
        headers={"Authorization": f"Bearer {token}"},
        timeout=30,
    ).status_code


def test_production_ignores_the_variable(new_desk: Callable[..., Desk], sqlite_url: str) -> None:
    assert _draft(new_desk, sqlite_url, "webapp") == 201


def test_the_launcher_of_tests_does_what_it_says(
    new_desk: Callable[..., Desk], sqlite_url: str
) -> None:
    with pytest.raises(requests.ConnectionError):
        _draft(new_desk, sqlite_url, "tests.failpoints")


def test_nothing_of_the_product_installs_a_handler() -> None:
    naming = [
        path.name
        for path in (ROOT / "webapp").rglob("*.py")
        if path.name != "failpoints.py" and "import install" in path.read_text()
    ]
    assert naming == []


@pytest.mark.parametrize(
    ("action", "status"),
    [("kill", -signal.SIGKILL), ("exit", EXIT_STATUS)],
)
def test_it_happens_at_the_nth_time(action: str, status: int) -> None:
    steps = (
        f"from tests.failpoints.handler import Handler; reach = Handler('{POINT}:{action}:2');"
        f"reach('draft.before-commit'); reach('{POINT}'); print('once', flush=True);"
        f"reach('{POINT}'); print('twice')"
    )
    done = subprocess.run(
        [sys.executable, "-c", steps], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stdout) == (status, "once\n")


def test_of_many_processes_one_meets_it(tmp_path: Path) -> None:
    """Each would, were it not for the file: a server that starts again must not die again."""
    file = tmp_path / "failpoint"
    file.write_text(f"{POINT}:drop")
    here, there = Handler(f"@{file}"), Handler(f"@{file}")
    with pytest.raises(OperationalError) as lost:
        here(POINT)
    assert lost.value.connection_invalidated
    there(POINT)
    here(POINT)
    assert file.with_suffix(".fired").read_text().isdigit()


@pytest.mark.parametrize("text", ["nowhere:kill", f"{POINT}:burn", POINT, f"{POINT}:kill:1:2"])
def test_what_could_never_happen_is_refused(text: str) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - the words are for the tester's own eyes
        Spec.parse(text)
