"""For operators: alive, ready, figures; and the API described to programs and people."""

from typing import Any

from flask import Blueprint, Response, current_app, render_template
from prometheus_client import CONTENT_TYPE_LATEST, generate_latest

from webapp.domain.times import SECOND
from webapp.services import health
from webapp.web import openapi
from webapp.web.current import desk
from webapp.web.metrics import registry

ops = Blueprint("ops", __name__)


@ops.get("/healthz")
def healthz() -> dict[str, Any]:
    """The process answers; nothing else is asked."""
    return {"status": "alive"}


@ops.get("/readyz")
def readyz() -> tuple[dict[str, Any], int]:
    """503 names what is wrong."""
    found = health.health(desk())
    body = {
        "status": "not_ready" if found.problems else "ready",
        "problems": found.problems,
        "worker_age_seconds": _seconds(found.worker_age),
        "overdue_seconds": _seconds(found.overdue),
    }
    return body, 503 if found.problems else 200


@ops.get("/metrics")
def metrics() -> Response:
    """The Prometheus text format."""
    return Response(generate_latest(registry(current_app)), content_type=CONTENT_TYPE_LATEST)


@ops.get("/api/openapi.json")
def openapi_json() -> dict[str, Any]:
    """OpenAPI 3.1."""
    return openapi.document(desk().settings.base_url)


@ops.get("/api/docs")
def docs() -> str:
    """The same, to read."""
    return render_template("api_docs.html", **openapi.reading())


def _seconds(microseconds: int | None) -> float | None:
    return None if microseconds is None else round(microseconds / SECOND, 3)
