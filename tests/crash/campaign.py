"""Many trials on several desks at once: most of a trial is waiting for a lease to end."""

import tempfile
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack, contextmanager
from pathlib import Path
from queue import Empty, SimpleQueue

from tests.crash.checker import follow
from tests.crash.load import Load
from tests.crash.stage import Stage, staged
from tests.crash.trials import Trial
from tests.fixtures.databases import migrate
from tests.fixtures.postgres import PostgresServer, running_postgres

Report = Callable[[int, list[str]], None]
"""Called with trials done, 1 at a time, and their faults."""
BOOTS = 2
"""Desks that boot at once: more would only make each of them later."""
Desks = Sequence[tuple[Stage, Load]]


@contextmanager
def desks(backend: str, number: int, *, fsync: bool = False) -> Iterator[Desks]:
    """`number` desks with a database each, on one server, until the block ends.

    PostgreSQL commits as it does by default, without `fsync` but for that: a server that is killed
    loses nothing by it, a machine would.
    """
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="undo-desk-crash-")))
        server = None
        if backend == "postgresql":
            server = stack.enter_context(running_postgres(settings=[f"fsync = {fsync}"]))
        urls = [_database(folder / f"{place}.db", server) for place in range(number)]

        def begin(place: int) -> tuple[Stage, Load]:
            stage = stack.enter_context(staged(folder / f"desk-{place}", urls[place], server))
            following = threading.Thread(target=follow, args=(stage,), name="feed", daemon=True)
            following.start()
            return stage, Load(stage, seed=place)

        with ThreadPoolExecutor(BOOTS) as pool:
            made = list(pool.map(begin, range(number)))
            yield made
            list(pool.map(lambda one: one[0].stop(), made))


def run(on: Desks, trials: Sequence[Trial], report: Report, until: float = float("inf")) -> None:
    """Each trial once, on whichever desk is free, while `time.monotonic()` is before `until`."""
    waiting: SimpleQueue[Trial] = SimpleQueue()
    for trial in trials:
        waiting.put(trial)
    told = threading.Lock()

    def work(stage: Stage, load: Load) -> None:
        while time.monotonic() < until:
            try:
                trial = waiting.get_nowait()
            except Empty:
                return
            try:
                faults = trial(stage, load)
            except Exception as fault:  # noqa: BLE001 - one trial's, told with the others
                faults = [f"{type(fault).__name__}: {fault}"]
            with told:
                report(1, [f"{trial.__name__}: {fault}" for fault in faults])

    threads = [threading.Thread(target=work, args=one, name="trials") for one in on]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()


def ended(stage: Stage) -> Counter[str]:
    """How many actions are in which state."""
    with stage.services.db.connection() as conn:
        rows = conn.exec_driver_sql("SELECT state, count(*) FROM action GROUP BY state")
        return Counter({str(state): int(count) for state, count in rows})


def _database(file: Path, server: PostgresServer | None) -> str:
    url = f"sqlite:///{file}" if server is None else server.url(server.create())
    migrate(url)
    return url
