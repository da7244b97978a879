"""The feed behind the socket: events in commit order, each with its row as it is now."""

import json
import logging
from collections.abc import Iterable, Mapping, Sequence

from jinja2 import TemplateError

from webapp.domain.action import Action
from webapp.domain.errors import Invalid
from webapp.services import screen
from webapp.services.desk import Desk
from webapp.services.screen import Surroundings
from webapp.store.events import Event, parse_cursor
from webapp.web.pages.rendered import Rows
from webapp.web.socket import Change, StaleCursor

ROLES = ("staff", "admin")
"""Who may watch. All see the same row, so one text serves both."""

Shown = dict[str, object]
"""A row in a frame: id, version, state, html."""

_log = logging.getLogger(__name__)


class DeskFeed:
    """A `FeedSource`. A row is read and rendered once for all events that one call brings of it.

    A frame carries, under `also`, the rows whose sentences depend on the one that changed: what
    waits for it, what it waits for, whose cancel would stop it, what it takes back, what it
    repeats.
    """

    def __init__(self, desk: Desk, rows: Rows) -> None:
        self._desk = desk
        self._rows = rows

    def latest(self) -> str:
        """The cursor of now."""
        return screen.latest(self._desk)

    def since(self, cursor: str, limit: int) -> Sequence[Change]:
        """Changes behind `cursor`. Raises StaleCursor for one that this database never gave."""
        try:
            found, rows, around, linked = screen.changes(self._desk, cursor, limit)
            if not found and parse_cursor(cursor) > parse_cursor(self.latest()):
                raise StaleCursor(cursor)
        except Invalid as problem:
            raise StaleCursor(cursor) from problem
        if not found:
            return ()
        frames = self._frames(rows, around)
        last = {event.action: event.cursor for event in found}
        return [
            self._change(event, frames, linked if last[event.action] == event.cursor else {})
            for event in found
        ]

    def _frames(
        self, rows: Mapping[str, Action], around: Surroundings
    ) -> dict[str, dict[str, object]]:
        now = self._desk.now()
        found: dict[str, dict[str, object]] = {}
        for one in rows.values():
            try:
                html = self._rows.html(one, around, now)
            except (TemplateError, ValueError, LookupError, TypeError):
                # one row that can't be shown must not stop the feed in front of it
                _log.exception("The row of action %s can't be rendered", one.id)
                continue
            found[one.id] = {
                "id": one.id,
                "version": one.version,
                "state": one.state.value,
                "html": html,
            }
        return found

    def _change(
        self,
        event: Event,
        frames: Mapping[str, Shown],
        linked: Mapping[str, Iterable[str]],
    ) -> Change:
        own = frames.get(event.action)
        if own is None:
            return Change(event.cursor, event.action, {})
        also = [frames[other] for other in linked.get(event.action, ()) if other in frames]
        frame = {"type": "row", "cursor": event.cursor, **own, **({"also": also} if also else {})}
        text = json.dumps(frame, ensure_ascii=False, separators=(",", ":"))
        return Change(event.cursor, event.action, dict.fromkeys(ROLES, text))
