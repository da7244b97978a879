"""The follower behind the reports: each event is counted once, in the cells of its half hour."""

from collections import Counter, defaultdict
from collections.abc import Sequence

from webapp.domain.counting import Happened, count
from webapp.store import counted, report_cells
from webapp.store.engine import Tx
from webapp.store.events import Event
from webapp.store.followers import Write
from webapp.store.report_cells import Cells


class Counting:
    """Counts for `services/reports.py`."""

    name = "reports"

    def digest(self, tx: Tx, found: Sequence[Event]) -> Write:
        """What these events add to each cell. An event without an action adds nothing."""
        backs = {str(one.data.get("by")) for one in found if one.verb == "compensated"}
        known = counted.known(tx, backs.union(one.action for one in found))
        halves: Cells = defaultdict(Counter)
        for one in found:
            about = known.get(one.action)
            if about is None:
                continue
            key = report_cells.half_hour(one.at, one.kind, about.agent)
            halves[key].update(count(_happened(one), about, known.get(str(one.data.get("by")))))
        cells = report_cells.spread(halves)
        return lambda tx: report_cells.add(tx, cells)


def _happened(one: Event) -> Happened:
    return Happened(
        *(one.action, one.kind, one.verb, one.from_state, one.to_state),
        *(one.at, one.actor, one.data),
    )
