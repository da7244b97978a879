"""Rows as HTML: one template for the first page, for the answer to a button and for live frames."""

from flask import Flask

from webapp.domain.action import Action
from webapp.services.screen import Surroundings
from webapp.web.pages.layout import zone_of
from webapp.web.rows import Row


class Rows:
    """Renders rows outside of requests too: nothing in one depends on who looks."""

    def __init__(self, app: Flask) -> None:
        self._template = app.jinja_env.get_template("actions/_row.html")
        self._zone = zone_of(app)

    def row(self, action: Action, around: Surroundings, now: int) -> Row:
        """The view model. `now` in UTC microseconds."""
        return Row(action, around, self._zone, now)

    def html(self, action: Action, around: Surroundings, now: int) -> str:
        """`<li data-action=…>`"""
        return self._template.render(row=self.row(action, around, now))
