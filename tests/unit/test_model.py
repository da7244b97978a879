"""The exhaustive model in tests/model speaks of the states and arrows of the code, no others."""

import re
from pathlib import Path

import pytest

from tests.model.runs import BUGS, SOUND
from webapp.domain.states import ARROWS, FIRST, State

MODEL = (Path(__file__).parents[1] / "model" / "undo_desk.pml").read_text()
ROOT = Path(__file__).parents[2]
NOT_YET = "absent"
"""The model's word for a child that is not drafted yet."""


def test_its_states_are_those_of_the_code() -> None:
    declared = re.search(r"mtype:state = \{(.*?)\}", MODEL, re.DOTALL)
    assert declared is not None
    assert set(re.findall(r"\w+", declared[1])) - {NOT_YET} == set(State)


def test_its_arrows_are_those_of_the_code() -> None:
    """Each is taken by some step: `make model` fails on a step that is never taken."""
    moves = re.findall(r"\bmove\(\w+, (\w+), (\w+)\)", MODEL)
    # The inline's own definition, which names no state.
    drawn = {(source, target) for source, target in moves if source != "from"}
    assert drawn == {(source.value, target.value) for source, target in ARROWS}


def test_a_draft_begins_where_it_does_in_the_code() -> None:
    assert set(re.findall(r"\bborn\(\w+, (\w+)\)", MODEL)) - {"first"} == set(FIRST)


def test_no_state_is_changed_but_by_an_arrow() -> None:
    """Else the arrows above would not be all. The planted bug is the exception that it is."""
    sound = re.sub(r"#ifdef BUG_NO_GUARD.*?#else", "", MODEL, flags=re.DOTALL)
    writes = [line.strip() for line in re.findall(r"^ .*\bst\[\w+\] = .*", sound, re.MULTILINE)]
    assert writes == ["st[a] = to", "st[a] = first"]


def test_what_it_mirrors_is_still_there() -> None:
    """A comment that names `webapp/…` code by module and name leads somewhere."""
    named = set(
        re.findall(r"\b((?:store|services|worker|domain|connectors)/\w+)\.(\w+)(?!\w)", MODEL)
    )
    assert len(named) > 20
    gone = [
        f"{module}.{name}"
        for module, name in named
        if not re.search(rf"\b{name}\b", (ROOT / "webapp" / f"{module}.py").read_text())
        and name != "py"
    ]
    assert not gone


@pytest.mark.parametrize("bug", re.findall(r"#ifdef (BUG_\w+)", MODEL))
def test_each_planted_bug_is_run(bug: str) -> None:
    assert any(bug in run.switches and run.breaks for run in BUGS)
    assert not any(bug in run.switches for run in SOUND)
