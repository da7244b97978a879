"""The wheel is complete: installed elsewhere, without the checkout, it serves a page."""

import os
import re
import subprocess
import sys
import sysconfig
import venv
import zipfile
from pathlib import Path

import pytest
import requests

from tests.fixtures.desk import free_port, wait_until

ROOT = Path(__file__).resolve().parents[2]


def _run(*command: object, cwd: Path, env: dict[str, str] | None = None) -> str:
    done = subprocess.run(
        [str(part) for part in command],
        cwd=cwd,
        env=env,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def wheel(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The built wheel."""
    out = tmp_path_factory.mktemp("dist")
    _run(sys.executable, "-m", "build", "--wheel", "--no-isolation", "--outdir", out, cwd=ROOT)
    return next(out.glob("*.whl"))


@pytest.fixture(scope="module")
def installed(wheel: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The `bin` folder of an environment that has the wheel, and no checkout.

    Its dependencies are borrowed from this environment by a path file: the editable install's
    own path file is not followed from there.
    """
    home = tmp_path_factory.mktemp("elsewhere") / "venv"
    venv.create(home, with_pip=False, symlinks=True)
    python = home / "bin" / "python"
    site = Path(
        _run(
            python, "-c", "import sysconfig; print(sysconfig.get_path('purelib'))", cwd=home
        ).strip()
    )
    (site / "borrowed.pth").write_text(sysconfig.get_path("purelib") + "\n")
    _run(
        sys.executable, "-m", "pip", "--python", python, "install", "--quiet", "--no-deps",
        "--no-index", wheel, cwd=home,
    )  # fmt: skip
    return home / "bin"


def test_the_wheel_ships_what_lies_beside_the_package(wheel: Path) -> None:
    with zipfile.ZipFile(wheel) as archive:
        names = set(archive.namelist())
    for folder in ("templates", "static"):
        for path in (ROOT / folder).rglob("*"):
            if path.is_file():
                assert f"webapp/_shipped/{path.relative_to(ROOT).as_posix()}" in names
    versions = ROOT / "webapp" / "store" / "migrations" / "versions"
    languages = ROOT / "webapp" / "locales"
    for path in (*versions.glob("*.py"), *languages.glob("*.po")):
        assert path.relative_to(ROOT).as_posix() in names
    assert not [name for name in names if name.startswith(("tests/", "templates/", "static/"))]


def test_the_installed_wheel_serves_a_page_and_its_style(installed: Path, tmp_path: Path) -> None:
    where = _run(installed / "python", "-c", "import webapp; print(webapp.__file__)", cwd=tmp_path)
    assert ROOT not in Path(where.strip()).parents
    environ = {k: v for k, v in os.environ.items() if not k.startswith("UNDO_DESK_")}
    command = installed / "undo-desk"
    _run(command, "migrate", cwd=tmp_path, env=environ)

    url = f"http://127.0.0.1:{(port := free_port())}"
    log = tmp_path / "serve.log"
    with log.open("wb") as output:
        serve = subprocess.Popen(
            [command, "serve", "--port", str(port)],
            cwd=tmp_path,
            env=environ,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    try:

        def answers() -> bool:
            assert serve.poll() is None, log.read_text()
            try:
                return requests.get(f"{url}/healthz", timeout=5).ok
            except requests.ConnectionError:
                return False

        wait_until(answers, seconds=30, every=0.05)
        page = requests.get(f"{url}/login", timeout=10)
        assert page.status_code == 200
        style = re.search(r'href="(/static/[^"]+\.css[^"]*)"', page.text)
        assert style, page.text
        assert (
            requests.get(url + style[1], timeout=10).headers["Content-Type"].startswith("text/css")
        )
    finally:
        serve.terminate()
        assert serve.wait(15) == 0, log.read_text()
