"""The action worker: wakes when something is due, claims it, has the effect made, records it."""

from webapp.worker.worker import Worker, run, start_worker

__all__ = ["Worker", "run", "start_worker"]
