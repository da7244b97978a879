"""Figures for Prometheus, read when they are asked for."""

import threading
from collections.abc import Iterable, Mapping
from time import monotonic
from typing import cast

from flask import Flask
from prometheus_client import CollectorRegistry, Metric
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

from webapp.domain.times import SECOND
from webapp.services import health
from webapp.services.desk import Desk
from webapp.store.counts import Counts
from webapp.web.api.events import EXTENSION as WAITERS
from webapp.web.current import EXTENSION as DESK
from webapp.web.socket import EXTENSION as BROADCASTER

_EXTENSION = "undo-desk-metrics"
_COUNTED_EVERY = 10.0
"""Seconds: counting reads every open row."""


def registry(app: Flask) -> CollectorRegistry:
    """This application's own: two in one process don't mix."""
    if _EXTENSION not in app.extensions:
        app.extensions[_EXTENSION] = CollectorRegistry(auto_describe=False)
        app.extensions[_EXTENSION].register(_Desk(app))
    return cast(CollectorRegistry, app.extensions[_EXTENSION])


class _Desk(Collector):
    def __init__(self, app: Flask) -> None:
        self._app = app
        self._desk: Desk = app.extensions[DESK]
        self._lock = threading.Lock()
        self._counted: Counts | None = None
        self._counted_at = 0.0

    def describe(self) -> Iterable[Metric]:
        return ()

    def collect(self) -> Iterable[Metric]:
        counted, found = self._counts(), health.health(self._desk)
        yield _by_state("undo_desk_actions_open", "Actions that have not ended", counted.open)
        yield _by_state(
            "undo_desk_actions_finished_lately",
            "Actions that ended within the last minute",
            counted.finished_lately,
        )
        yield _seconds("undo_desk_claim_lateness", "Longest claim delay lately", counted.lateness)
        yield _seconds("undo_desk_overdue", "Age of the oldest overdue action", found.overdue)
        yield _seconds("undo_desk_worker_age", "Since a worker's last beat", found.worker_age)
        yield GaugeMetricFamily("undo_desk_ready", "1 when all is well", int(not found.problems))
        broadcaster = self._app.extensions.get(BROADCASTER)
        screens = broadcaster.count if broadcaster else 0
        yield GaugeMetricFamily("undo_desk_screens", "Feeds that watch, here", screens)
        waiting = self._app.extensions[WAITERS].count
        yield GaugeMetricFamily("undo_desk_long_polls", "Requests that wait, here", waiting)

    def _counts(self) -> Counts:
        with self._lock:
            now = monotonic()
            if self._counted is None or now - self._counted_at >= _COUNTED_EVERY:
                self._counted = health.figures(self._desk)
                self._counted_at = now
            return self._counted


def _by_state(name: str, words: str, numbers: Mapping[tuple[str, str], int]) -> GaugeMetricFamily:
    metric = GaugeMetricFamily(name, words, labels=["state", "kind"])
    for labels, number in sorted(numbers.items()):
        metric.add_metric(labels, number)
    return metric


def _seconds(name: str, words: str, microseconds: int | None) -> GaugeMetricFamily:
    metric = GaugeMetricFamily(f"{name}_seconds", words)
    if microseconds is not None:
        metric.add_metric([], microseconds / SECOND)
    return metric
