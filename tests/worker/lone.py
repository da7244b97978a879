"""A worker alone in a process: `python -m tests.worker.lone`, settings from the environment."""

import logging
import sys

from webapp.config import Settings
from webapp.services.desk import Desk
from webapp.store.engine import Database
from webapp.worker import run


def main() -> int:
    logging.basicConfig(level=logging.INFO)
    settings = Settings.from_env()
    return run(Desk(Database(settings.database_url), settings))


if __name__ == "__main__":
    sys.exit(main())
