"""Logs of the processes that go on: one line of JSON an entry, on standard error."""

import logging
import sys

import structlog

_QUIET = ("apscheduler", "alembic", "urllib3", "werkzeug")
"""Libraries that would log every job or request."""


def start_logging(level: str = "INFO") -> None:
    """Everything that `logging` is told from now on."""
    formatter = structlog.stdlib.ProcessorFormatter(
        foreign_pre_chain=[
            structlog.stdlib.add_log_level,
            structlog.stdlib.add_logger_name,
            structlog.processors.TimeStamper(fmt="iso", utc=True),
        ],
        processors=[
            structlog.stdlib.ProcessorFormatter.remove_processors_meta,
            structlog.processors.format_exc_info,
            structlog.processors.JSONRenderer(ensure_ascii=False),
        ],
    )
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(formatter)
    root = logging.getLogger()
    root.handlers[:] = [handler]
    root.setLevel(level)
    for name in _QUIET:
        logging.getLogger(name).setLevel("WARNING")
