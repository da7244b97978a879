"""Installs what the environment asks for, then runs the ordinary command line."""

import os
from pathlib import Path

from tests.failpoints import CLOCK_VARIABLE, VARIABLE
from tests.failpoints.clock import WrongClock
from tests.failpoints.handler import Handler
from webapp import failpoints
from webapp.cli import main

if source := os.environ.pop(VARIABLE, ""):
    failpoints.install(Handler(source))
if file := os.environ.pop(CLOCK_VARIABLE, ""):
    WrongClock(Path(file)).follow()
if __name__ == "__main__":
    main()
