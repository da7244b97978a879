"""What the desk came to: in a period, by kind and agent, by day and hour."""

from collections.abc import Mapping
from dataclasses import dataclass
from urllib.parse import urlencode
from zoneinfo import ZoneInfo

from flask import Blueprint, Response, current_app, jsonify, request

from webapp.domain.errors import FieldError, Invalid
from webapp.domain.kinds.registry import KINDS
from webapp.domain.periods import CHOICES, USUAL, between, latest
from webapp.services.reports import Asked, report
from webapp.web.current import desk
from webapp.web.pages import report_figures, report_files, report_tables
from webapp.web.pages.layout import page, zone_of
from webapp.web.pages.report_windows import windows

pages = Blueprint("reports", __name__)

_FIELDS = ("days", "from", "to", "kind", "agent", "zone")


@dataclass(frozen=True, slots=True)
class Form:
    """What was asked for, as it was entered, and what is wrong with it, by field."""

    values: Mapping[str, str]
    errors: Mapping[str, str]

    def again(self, **more: object) -> str:
        """The query of the same report, with `more`."""
        kept = {} if self.errors else dict(self.values)
        return urlencode({name: value for name, value in (kept | more).items() if value})

    def other(self, **values: object) -> str:
        """The query of the same report over another period."""
        none = dict.fromkeys(("days", "from", "to"), "")
        return self.again(**none | values)


@pages.get("/reports")
def reports() -> Response:
    """The page; what is wrong with what was entered stands beside it, over the usual report."""
    values = {name: request.args.get(name, "").strip() for name in _FIELDS}
    try:
        asked, errors = _asked(values), {}
    except Invalid as wrong:
        asked, errors = _asked({}), {_field(one): one.detail for one in wrong.errors}
    found = report(desk(), asked)
    html = page(
        "reports/page.html",
        form=Form(values, errors),
        found=found,
        choices=CHOICES,
        today=latest(1, desk().now(), found.asked.period.zone).last,
        kinds=KINDS,
        tiles=report_tables.tiles(found),
        tables=report_tables.tables(found),
        figures=report_figures.figures(found),
        windows=windows(found),
    )
    return Response(html, 400 if errors else 200, mimetype="text/html")


@pages.get("/reports.json")
def as_json() -> Response:
    """All of it, for programs. Raises Invalid."""
    found = report(desk(), _asked(request.args))
    return jsonify(report_files.as_json(found))


@pages.get("/reports.csv")
def as_csv() -> Response:
    """By kind and agent, or `by=day`, `by=hour`. Raises Invalid."""
    found = report(desk(), _asked(request.args))
    by = request.args.get("by", "kind")
    name = f"undo-desk-{by}-{found.asked.period.first}-{found.asked.period.last}.csv"
    headers = {"Content-Disposition": f'attachment; filename="{name}"'}
    return Response(report_files.as_csv(found, by), mimetype="text/csv", headers=headers)


def _asked(values: Mapping[str, str]) -> Asked:
    """From the fields of the form. Raises Invalid."""
    zone = _zone(values.get("zone", ""))
    kind = values.get("kind", "")
    if kind and kind not in KINDS:
        raise Invalid.field("/kind", "is no kind of action here")
    days, now = values.get("days", ""), desk().now()
    if days:
        if not (days.isascii() and days.isdigit() and 1 <= int(days[:4]) <= max(CHOICES)):
            raise Invalid.field("/days", f"is a number of days from 1 to {max(CHOICES)}")
        period = latest(int(days), now, zone)
    elif values.get("from") or values.get("to"):
        period = between(values.get("from", ""), values.get("to", ""), now, zone)
    else:
        period = latest(USUAL, now, zone)
    return Asked(period, kind, values.get("agent", ""))


def _zone(name: str) -> ZoneInfo:
    """The one that was asked for, else the reader's as far as it is known here."""
    try:
        return ZoneInfo(name or zone_of(current_app).name)
    except (KeyError, ValueError, OSError):
        raise Invalid.field("/zone", "is no zone, for example Asia/Kolkata") from None


def _field(one: FieldError) -> str:
    return one.pointer.removeprefix("/")
