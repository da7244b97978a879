"""Commands for people, agents, stock, customers and pauses: what they do, and what they refuse."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import SQLITE, Run
from tests.store.rows import put, row, states
from webapp.config import Settings
from webapp.services import agents, sign_in
from webapp.services.desk import Desk
from webapp.store import policies
from webapp.store.engine import Database

Contents = Callable[[], dict[str, list[Any]]]
PASSWORD = "correct horse battery"


@pytest.fixture
def desk(database: Database, database_url: str) -> Desk:
    return Desk(database, Settings(database_url=database_url))


def test_a_person_is_added_and_can_sign_in(on: Run, desk: Desk) -> None:
    add = (
        "user",
        "add",
        "Ana@Example.com",
        "--role",
        "admin",
        "--name",
        "Ana L",
        "--password-stdin",
    )
    for line in (f"{PASSWORD}\n", f"{PASSWORD}\r\n"):
        ran = on(*add, stdin=line)
        if line.endswith("\r\n"):
            assert ran.refusal == "email: Ana@Example.com is taken"
        else:
            assert ran.said == "Added Ana@Example.com (admin).\n"
    token = sign_in.sign_in(desk, email="ana@example.com", password=PASSWORD, host="127.0.0.1")
    who = sign_in.who(desk, token)
    assert who is not None
    assert (who.name, who.role) == ("Ana L", "admin")


@SQLITE
@pytest.mark.parametrize(
    ("email", "stdin", "says"),
    [
        ("ana", PASSWORD, "email:"),
        ("ana@example.com\nbcc:x@example.com", PASSWORD, "email:"),
        ("ana@example.com", "short", "password:"),
        ("ana@example.com", "", "Standard input is empty"),
        ("ana@example.com", b"\xff" * 12 + b"\n", "not valid UTF-8"),
        ("ana@example.com", "x" * 501, "password:"),
    ],
)
def test_a_person_who_cannot_be_added_is_refused(
    on: Run, contents: Contents, email: str, stdin: str | bytes, says: str
) -> None:
    before = contents()
    ran = on("user", "add", email, "--role", "staff", "--password-stdin", stdin=stdin)
    assert ran.refusal.startswith(says) or says in ran.refusal
    assert contents() == before


def test_without_a_terminal_the_password_comes_by_option_only(run: Run, sqlite_url: str) -> None:
    ran = run(
        "user", "add", "a@example.com", "--role", "staff", stdin="x\n", database_url=sqlite_url
    )
    assert "--password-stdin" in ran.refusal


def test_an_agents_token_stands_alone_on_the_last_line(
    on: Run, desk: Desk, contents: Contents
) -> None:
    lines = on("agent", "add", "returns-agent").said.splitlines()
    assert lines[-1].startswith("ud_")
    found = agents.by_token(desk, lines[-1])
    assert found is not None
    assert found.name == "returns-agent"
    assert found.scopes == {"draft", "read", "cancel", "signal"}
    # only its hash is kept
    assert lines[-1] not in repr(contents())
    only = on("agent", "add", "reader", "--scopes", "read").said.splitlines()[-1]
    reader = agents.by_token(desk, only)
    assert reader is not None
    assert reader.scopes == {"read"}


@SQLITE
@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("known",), "name: there is an agent 'known' already"),
        (("a b",), "name:"),
        (("",), "name:"),
        (("x" * 101,), "name:"),
        (("bot", "--scopes", "draft,fly"), "scopes: must be some of draft, read, cancel, signal"),
        (("bot", "--scopes", ","), "scopes:"),
    ],
)
def test_an_agent_that_cannot_be_added_is_refused(
    on: Run, contents: Contents, arguments: tuple[str, ...], says: str
) -> None:
    assert on("agent", "add", "known").said
    before = contents()
    assert on("agent", "add", *arguments).refusal.startswith(says)
    assert contents() == before


def test_stock_is_imported_set_and_shown(on: Run, here: Path) -> None:
    rows = 'sku,available,name\nTEE-M,25,T-shirt M\n"A, B",0,Ünï\nTEE-L,3,\n'
    (here / "stock.csv").write_bytes(b"\xef\xbb\xbf" + rows.encode())
    assert on("stock", "import", "stock.csv").said == "Set 3 items.\n"
    assert on("stock", "set", "TEE-M", "7").said == "TEE-M: 7 available.\n"
    assert on("stock", "show").said.splitlines() == [
        "sku    available  name",
        "A, B   0          Ünï",
        "TEE-L  3",
        "TEE-M  7          T-shirt M",
    ]


@SQLITE
@pytest.mark.parametrize(
    ("written", "says"),
    [
        (b"sku,count\nA,1\n", "missing: available"),
        (b"", "missing: available, sku"),
        (b"sku,available\nA,1\nB,many\n", "line 3: available: 'many'"),
        (b"sku,available\nA,-1\n", "line 2: available: '-1'"),
        (b"sku,available\nA,1.5\n", "line 2: available: '1.5'"),
        (b"sku,available\nA\n", "line 2: available:"),
        (b"sku,available\n,5\n", "line 2: sku:"),
        (b"sku,available\nA,1\nA,2\n", "line 3: sku A is twice"),
        (b"sku,available\nA,1,000\n", "line 2: has more fields"),
        (b'sku,available\n"A,1\n', "line 2:"),
        (b"sku,available\nA,1\nM\xfcll,2\n", "not valid UTF-8 (byte 20)"),
        (b"sku,available\nA\x00,1\n", "line"),
        (b"sku,available\nA,9999999999999\n", "line 2: available:"),
    ],
)
def test_a_bad_csv_is_refused_whole_by_its_line(
    on: Run, here: Path, contents: Contents, written: bytes, says: str
) -> None:
    before = contents()
    (here / "stock.csv").write_bytes(written)
    assert says in on("stock", "import", "stock.csv").refusal
    assert contents() == before


@SQLITE
def test_a_file_that_is_not_there_is_refused(on: Run, here: Path) -> None:
    assert on("stock", "import", "no.csv").refusal == "no.csv: No such file or directory"
    assert on("stock", "import", str(here)).refusal == f"{here}: Is a directory"
    assert "'many'" in on("stock", "set", "TEE", "many").refusal


def test_a_customer_is_flagged_and_unflagged(on: Run, desk: Desk) -> None:
    assert on("customer", "flag", "c-17", "--reason", "once").said == "Flagged c-17.\n"
    assert on("customer", "flag", "c-17", "--reason", "twice").said
    with desk.db.read() as tx:
        assert [(one.ref, one.reason) for one in policies.flags(tx)] == [("c-17", "twice")]
    assert on("customer", "unflag", "c-17", "--reason", "talked").said == (
        "c-17 is not flagged any more (talked).\n"
    )
    assert on("customer", "unflag", "c-17").refusal == "The customer 'c-17' is not flagged."
    assert on("customer", "flag", "").refusal.startswith("ref:")


def test_a_flag_says_what_is_scheduled_and_can_hold_it(on: Run, desk: Desk) -> None:
    ids = [put(desk.db, due=3_600_000_000, customer_ref="c-17") for _ in range(2)]
    put(desk.db, due=3_600_000_000, customer_ref="c-18")
    assert on("customer", "flag", "c-17").said == (
        "Flagged c-17.\n"
        "What is scheduled still runs (2); the same again with --hold-scheduled holds it.\n"
    )
    said = on("customer", "flag", "c-17", "--reason", "odd", "--hold-scheduled").said
    assert said == f"Flagged c-17.\nHeld: {' '.join(ids)}\n"
    assert states(desk.db, *ids) == ["held"] * 2
    assert row(desk.db, ids[0]).state_reason == "the customer was flagged: odd"
    assert on("customer", "flag", "c-17", "--hold-scheduled").said.endswith(
        "Held: nothing was scheduled\n"
    )


def test_pause_and_resume(on: Run, desk: Desk) -> None:
    from webapp.services import pause
    from webapp.services.caller import Caller

    assert on("pause", "--reason", "provider down").said.startswith("Paused:")
    assert on("pause").said == "Paused already, by command: provider down\n"
    assert [one.reason for one in pause.standing(desk)] == ["provider down"]
    pause.pause(desk, Caller.command(), reason="labels wait", kind="label")
    assert on("resume").said == "Resumed.\nStill paused: label (labels wait)\n"
    assert on("resume").said.startswith("Nothing was paused as a whole.")
    assert on("pause", "--reason", " ").refusal.startswith("reason:")
