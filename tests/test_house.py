"""The house rules that no linter knows: sizes, folders, dependencies, what may not be written."""

import ast
import importlib.metadata
import re
import statistics
import subprocess
import tomllib
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).resolve().parents[1]
MOST_LINES = 400
MEDIAN_LINES = 100

TOP_LEVEL = {
    "pyproject.toml", "README.md", "LICENSE", "CHANGELOG.md", "Makefile",
    "webapp", "templates", "static", "tests",
}  # fmt: skip

USED_WITHOUT_IMPORT = {
    "tzdata": "zoneinfo reads it where the system has no zone data",
    "email-validator": "pydantic imports it for mail addresses",
    "psycopg": "SQLAlchemy imports it, by the scheme of the URL",
}


GENERATED = {".git", ".venv", "instance", "dist", "__pycache__", "test-results"}


@cache
def _tracked() -> tuple[Path, ...]:
    """What git keeps and what it would; where git can't say, all files but generated ones."""
    command = ["git", "ls-files", "--cached", "--others", "--exclude-standard", "-z"]
    listed = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    if listed.returncode == 0:
        paths = [ROOT / name for name in listed.stdout.split("\0") if name]
    else:
        paths = [path for path in ROOT.rglob("*") if not _is_generated(path)]
    return tuple(path for path in paths if path.is_file())


def _is_generated(path: Path) -> bool:
    parts = path.relative_to(ROOT).parts
    return not GENERATED.isdisjoint(parts) or any(part.endswith("_cache") for part in parts)


def _written(*suffixes: str) -> Iterator[Path]:
    """Files of these suffixes that are ours, not vendored."""
    for path in _tracked():
        if path.suffix in suffixes and "vendor" not in path.parts:
            yield path


def _lines(path: Path) -> int:
    return len(path.read_text().splitlines())


def test_no_file_is_long() -> None:
    long = {
        str(path.relative_to(ROOT)): lines
        for path in _written(".py", ".js", ".css", ".html")
        if (lines := _lines(path)) > MOST_LINES
    }
    assert not long, f"each is probably two things: {long}"


def test_half_the_modules_are_short() -> None:
    sizes = [lines for path in (ROOT / "webapp").rglob("*.py") if (lines := _lines(path)) > 1]
    assert statistics.median(sizes) <= MEDIAN_LINES


def test_the_top_level_is_the_one_of_the_design() -> None:
    names = {path.relative_to(ROOT).parts[0] for path in _tracked()}
    assert {name for name in names if not name.startswith(".")} <= TOP_LEVEL


def test_no_file_names_a_package_registry_or_a_machine() -> None:
    # written apart, so that this file does not name them either
    hosts = [("pypi", "org"), ("files.pythonhosted", "org"), ("registry.npmjs", "org")]
    folders = ["".join(parts) for parts in (("/", "root/"), ("/", "work/"), ("/", "home/"))]
    banned = re.compile("|".join(map(re.escape, [*(".".join(host) for host in hosts), *folders])))
    found = {
        str(path.relative_to(ROOT)): match[0]
        for path in _written(
            ".py", ".md", ".toml", ".lock", ".js", ".css", ".html", ".cfg", ".ini", ".yml", ""
        )
        if (match := banned.search(path.read_text()))
    }
    assert not found


def test_every_runtime_dependency_is_used() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    names = {re.split(r"[\[<>=;~! ]", line)[0] for line in project["dependencies"]}
    modules = importlib.metadata.packages_distributions()
    used = {
        _normal(distribution)
        for module in _imported_modules()
        for distribution in modules.get(module, ())
    }
    unused = {name for name in map(_normal, names) if name not in used | USED_WITHOUT_IMPORT.keys()}
    assert not unused, f"leave out what nobody uses: {unused}"


def _normal(distribution: str) -> str:
    return re.sub(r"[-_.]+", "-", distribution).lower()


def _imported_modules() -> set[str]:
    found: set[str] = set()
    for path in (ROOT / "webapp").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                found.update(alias.name.partition(".")[0] for alias in node.names)
            elif isinstance(node, ast.ImportFrom) and node.module:
                found.add(node.module.partition(".")[0])
    return found


def test_no_module_is_left_unimported() -> None:
    """A module that nothing imports is dead, but for entry points, migrations and the registry."""
    sources = [path.read_text() for path in (ROOT / "webapp").rglob("*.py")]
    imported = {name for source in sources for name in _names(source)}
    entry_points = {"webapp.__main__", "webapp.cli"}
    dead = [
        name
        for path in (ROOT / "webapp").rglob("*.py")
        if "migrations" not in path.parts
        and (name := _module(path)) not in imported | entry_points
        and path.name != "__init__.py"
    ]
    assert not dead


def _module(path: Path) -> str:
    return ".".join(path.relative_to(ROOT).with_suffix("").parts)


def _names(source: str) -> Iterator[str]:
    """Every module a source imports, both readings of `from package import name`."""
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom) and node.module:
            yield node.module
            yield from (f"{node.module}.{alias.name}" for alias in node.names)
        elif isinstance(node, ast.Constant) and isinstance(node.value, str):
            yield node.value.partition(":")[0]  # a lazily loaded "package.module:name"
