"""`python -m tests.store.writing URL N`: N draft-and-cancel pairs, after a line on standard input.

Prints how many it made; exit 1 with the error when one reaches the caller.
"""

import sys

from tests.store.rows import ANA, put
from webapp.domain.times import SECOND
from webapp.store import transitions
from webapp.store.engine import Database

if __name__ == "__main__":
    db = Database(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    for _ in range(int(sys.argv[2])):
        one = put(db, due=600 * SECOND)
        assert db.transact(lambda tx, one=one: transitions.cancel(tx, one, ANA, "k"))  # type: ignore[misc]
    db.close()
