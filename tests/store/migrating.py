"""`python -m tests.store.migrating URL`: migrate, after a line on standard input."""

import sys

from webapp.store.engine import Database
from webapp.store.migrate import migrate

if __name__ == "__main__":
    db = Database(sys.argv[1])
    sys.stdout.write("ready\n")
    sys.stdout.flush()
    sys.stdin.readline()
    migrate(db)
    db.close()
