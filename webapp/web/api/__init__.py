"""The JSON API. Each call is a few lines: read, call one service, shape the answer.

Reading order: `bodies` (what is sent), `actions`, `cancellation`, `verbs`, `events`; `body` and
`query` for how strictly it is read. Who may is said in `web/routes.py`, refusals in
`web/problems.py`.
"""

from webapp.web.api import actions, cancellation, events, pauses, signals, verbs
from webapp.web.api.blueprint import api

__all__ = ["actions", "api", "cancellation", "events", "pauses", "signals", "verbs"]
