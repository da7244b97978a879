"""Search the model's whole state space under each configuration: `python3 -m tests.model`.

Needs spin and a C compiler, and nothing else; works in a temporary folder. Exits with 1 when the
sound model has an error or a step that is never taken, or when a planted bug is not found.
"""

import argparse
import re
import resource
import shutil
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path

from tests.model.runs import ALL, SOUND, Run

MODEL = Path(__file__).with_name("undo_desk.pml")
MISSING = """make model needs {}.
On Debian: apt-get install spin gcc"""
# Exact: every state is stored in full, and no two are taken for one.
COMPILE = ["-DVECTORSZ=512", "-DMEMLIM=3900"]
SEARCH = ["-w25", "-m100000", "-c1"]


@dataclass(frozen=True, slots=True)
class Found:
    """What one search says; `wrong` is spin's own words for the first violation.

    `seconds` are those of the processor, compiler included.
    """

    states: int
    megabytes: float
    seconds: float
    wrong: str | None
    unreached: frozenset[str]


def main() -> int:
    """Run what was asked for; the exit status."""
    parser = argparse.ArgumentParser(prog="make model", description=__doc__)
    parser.add_argument("--only", metavar="WORDS", default="", help="runs whose name has WORDS")
    parser.add_argument("--trail", action="store_true", help="print the steps to each violation")
    args = parser.parse_args()
    if missing := [tool for tool in ("spin", "gcc") if shutil.which(tool) is None]:
        print(MISSING.format(" and ".join(missing)), file=sys.stderr)
        return 1
    runs = [run for run in ALL if args.only in run.name]
    failed, states, began = 0, 0, _spent()
    never: list[frozenset[str]] = []
    print(f"{'run':<34} {'states':>11} {'MB':>6} {'s':>6}", flush=True)
    for run in runs:
        with tempfile.TemporaryDirectory() as folder:
            found = search(run, Path(folder))
            right = (found.wrong is not None) == run.breaks
            failed += not right
            states += found.states
            print(_line(run, found, right), flush=True)
            if args.trail and found.wrong is not None:
                print(_spin(run, "-t", "-p", "-g", folder=Path(folder)))
        if run in SOUND and "FREEZE" not in run.switches:
            never.append(found.unreached)
    if not args.only:
        for step in sorted(frozenset.intersection(*never)):
            failed += 1
            print(f"never taken: {step}")
    verdict = "all as it must be" if not failed else f"{failed} not as it must be"
    print(f"{states:,} states in {_spent() - began:.0f} s of one core: {verdict}")
    return 1 if failed else 0


def search(run: Run, folder: Path) -> Found:
    """Compile and run one search in `folder`, where its trail stays. Raises RuntimeError."""
    began = _spent()
    shutil.copy(MODEL, folder)
    _spin(run, "-a", folder=folder)
    kind = [] if run.ltl else ["-DSAFETY", "-DNOCLAIM"]
    # A bug is found at once: most of its time would go into the compiler.
    _call(["gcc", "-O0" if run.breaks else "-O2", *COMPILE, *kind, "-o", "pan", "pan.c"], folder)
    said = _call(["./pan", *SEARCH, *(["-a", "-N", run.ltl] if run.ltl else [])], folder)
    wrong = re.search(r"^pan:1: (.*)$", said, re.MULTILINE)
    if not wrong and ("not completed" in said or "errors: 0" not in said):
        raise RuntimeError(f"{run.name}: the search was not exhaustive\n{said}")
    return Found(
        states=int(_number(r"^\s*(\d+) states, stored", said)),
        megabytes=_number(r"([\d.]+)\s+total actual memory usage", said),
        seconds=_spent() - began,
        wrong=wrong and wrong[1],
        unreached=_unreached(said),
    )


def _line(run: Run, found: Found, right: bool) -> str:
    figures = f"{found.states:>11,} {found.megabytes:>6.0f} {found.seconds:>6.1f}"
    if run.breaks:
        what = f"found: {found.wrong}" if right else "NOT FOUND"
    else:
        what = "0 errors" if right else f"WRONG: {found.wrong}"
    return f"{run.name:<34} {figures}  {what[:120]}"


def _unreached(said: str) -> frozenset[str]:
    """Steps of the model that the search never took: `proctype, line, text`."""
    steps: set[str] = set()
    process = ""
    for line in said.splitlines():
        if (header := re.match(r"unreached in (proctype|init|claim) ?(\w*)", line)) is not None:
            process = header[2] or header[1]
        step = re.match(r"\s+undo_desk\.pml:(\d+), state (\d+), \"(.*)\"", line)
        if step is not None and step[3] != "-end-":
            steps.add(f"{process}, line {step[1]}, state {step[2]}: {step[3]}")
    return frozenset(steps)


def _spin(run: Run, *options: str, folder: Path) -> str:
    switches = [f"-D{switch}" for switch in run.switches]
    return _call(["spin", *switches, *options, MODEL.name], folder)


def _call(command: list[str], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, capture_output=True, text=True, check=False)
    if done.returncode:
        raise RuntimeError(f"{' '.join(command)}\n{done.stdout}{done.stderr}")
    return done.stdout


def _spent() -> float:
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def _number(pattern: str, said: str) -> float:
    found = re.search(pattern, said, re.MULTILINE)
    return float(found[1]) if found else 0.0


if __name__ == "__main__":
    sys.exit(main())
