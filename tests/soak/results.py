"""RESULTS.md: what was run, on which machine, and what it does and does not show."""

import os
import platform
from datetime import UTC, datetime
from importlib.metadata import version
from pathlib import Path

import psycopg

from tests.soak.campaigns import Found
from webapp.store.opening import sqlite_module

FILE = Path(__file__).with_name("RESULTS.md")

_MEANING = """
**Cancel against claim**: two processes meet at a barrier before each trial; one claims the row,
makes its effect and finishes it, the other cancels it through the service. A fault is: both won,
neither won, an answer that differs from the row, an effect of a cancelled action, an executed one
without exactly one effect, or a timeline that tells otherwise.

**Over HTTP**: clients draft webhooks and cancel them around their time against a desk that serves
and works; each cancel is sent twice with its key, effects are counted at a peer in a process of
its own. A fault is an answer that differs from the row or from the peer, or a repeat that is
answered otherwise.

**Retail day**: the shop's whole set (a sample of it outside of the place where the set lies)
drafted through the API with dependants and stock, 200 cancelled, 100 of them within 50 ms of their
time. Faults as above, and: a dependant before what it depends on, a live child of a cancelled
parent, totals or stock that differ.

**State machine**: histories of up to 50 steps, each a call of a service by one of two agents, two
staff, an admin or two workers, on a clock that the machine moves; trials are histories, and
`cancel won` and `claim won` count cancels and executions. After every step the whole database is
held against a model in plain Python and against the promises (`tests/machine/checker.py`).

**Killed, frozen, lost, away, clock set**: a desk of two processes (leases of 2 s) drafts, cancels
and takes back families, exchanges, webhooks and mails over HTTP while one thing is done to it:
kill -9 at a failpoint (before and after each commit, around each send) or at a random moment;
SIGSTOP with a claim in hand until others have taken over; a cancel whose database connection or
whose client's is gone after the commit; PostgreSQL's backends terminated or the server killed and
restarted, at random moments and while a transaction is open for certain; the host's clock set back
and forth by 5 s, 1 h, 1 day. Here `cancel won` and `claim won` count rows. A fault is: an action
that is still open after lease, sweep and retries; a 2xx (or `too_late`) that differs from the row;
an executed action without exactly one effect, an ended one with any (counted outside of the desk);
a live child of a cancelled parent, or one before its parent; stock that does not balance; a feed
that differs from the events or the rows; a point that was never reached.

**Disk**: the same desk while strace gives the database's calls the errors of a disk that is broken
(EIO, once) or full (ENOSPC, for ten calls on end): at the first call of each thread (SQLite, whose
two processes are traced) or process (PostgreSQL, whose server is), then at the second, until a run
comes to no such call any more; `trials (wanted)` is that number. PostgreSQL panics and recovers by
its log, or gives up and is started again. Faults as above.

The bound is the rule of three: none of n, so with 95 % confidence fewer than 3/n of such trials.
Fewer trials than wanted: the time was over. The disk's are not drawn, they are all there are: their
bound says how many there were, not how likely others are.

## What this does not show

- It holds for this code, these databases and this machine. Every trial is near the same instant;
  faults that need something else (a partition, two hosts, power loss) are not in it.
- kill -9 is not power loss: what the kernel had taken was never lost. Nor does an error that strace
  gives lose anything: a real disk that fails an fsync may have dropped the pages. Only PostgreSQL's
  and SQLite's own files had these errors, not the logs, the mark or the sandbox's ledger.
- The trials are not independent draws from production's races: the two sides are steered to win
  about equally often, and kills come under a load of our making.
- One host: two processes share its clock, its kernel and, on PostgreSQL, its socket. The clock that
  was set is the desk's; PostgreSQL's own, which decides there, was right throughout.
- Databases ran on a local disk with their durable settings; the crash campaign's PostgreSQL
  without fsync, but for the disk's trials.
"""


_HEAD = """# The long races and the crash campaign

Written by `make soak`: the last run of each campaign on each database. {machine}

| campaign | database | trials (wanted) | cancel won | claim won | faults | bound | s | when, load |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def write(found: Found) -> None:
    """Puts this campaign in the place of its last run."""
    machine = (
        f"{os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}, "
        f"SQLite {sqlite_module().sqlite_version}, PostgreSQL 18, psycopg {psycopg.__version__}, "
        f"SQLAlchemy {version('SQLAlchemy')}."
    )
    rows = [*_others(found), _row(found)]
    told = [f"- {found.campaign}, {found.database}: {one}" for one in found.faults[:50]]
    faults = "\n## Faults\n\n" + "\n".join(told) + "\n" if told else ""
    FILE.write_text(_HEAD.format(machine=machine) + "\n".join(rows) + "\n" + faults + _MEANING)


def _others(found: Found) -> list[str]:
    """The rows of the file that are not this campaign's."""
    lines = FILE.read_text().splitlines() if FILE.exists() else []
    own = f"| {found.campaign} | {found.database} |"
    rows = [line for line in lines if line.startswith("| ")][2:]
    return [row for row in rows if not row.startswith(own)]


def _row(found: Found) -> str:
    when = datetime.now(UTC).strftime("%d %b %Y %H:%M UTC")
    cells = (
        found.campaign,
        found.database,
        f"{found.trials:,} ({found.wanted:,})",
        f"{found.cancelled:,}",
        f"{found.executed:,}",
        str(len(found.faults)),
        found.bound,
        f"{found.seconds:.0f}",
        f"{when}, {os.getloadavg()[2]:.1f}",
    )
    return f"| {' | '.join(cells)} |"
