"""Every route there is, and who may use it: the one table, enforced before each request.

A route that stands in no line here keeps the program from starting (`app.create_app`). Unsafe
methods need the CSRF token wherever a browser may be signed in, so no line says so.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from enum import StrEnum

from flask import Flask

API = "/api/v1"
SAFE = frozenset({"GET", "HEAD"})
"""Methods that change nothing (RFC 9110, 9.2.1)."""


class Who(StrEnum):
    """Which people may. Agents may where the line names a scope."""

    ANYBODY = "anybody"
    STAFF = "staff"
    ADMIN = "admin"
    NO_PERSON = "agents only"


class Answer(StrEnum):
    """What a route answers with, errors included."""

    JSON = "json"
    PAGE = "page"
    SOCKET = "socket"
    """Checks for itself, in the order of the handshake (web/socket/route.py)."""


@dataclass(frozen=True, slots=True)
class Route:
    """One method of one path; placeholders in braces."""

    method: str
    path: str
    who: Who
    does: str
    scope: str | None = None
    """An agent with this scope may, too: with its own actions."""
    answer: Answer = Answer.JSON
    secret: bool = False
    """Its path is the secret that allows it: no cookie counts, so nobody can abuse one."""

    @property
    def csrf(self) -> bool:
        """Whether a browser has to send the CSRF token."""
        return self.method not in SAFE and not self.secret


def _call(method: str, path: str, scope: str | None, does: str) -> Route:
    return Route(method, API + path, Who.STAFF, does, scope)


def _page(method: str, path: str, who: Who, does: str) -> Route:
    return Route(method, path, who, does, None, Answer.PAGE)


_API = (
    Route("POST", f"{API}/actions", Who.NO_PERSON, "Draft an action, or join one", "draft"),
    _call("GET", "/actions", "read", "List actions, newest drafted first"),
    _call("GET", "/actions/{id}", "read", "Read an action"),
    _call("POST", "/actions/{id}/cancellation", "cancel", "Cancel"),
    _call("POST", "/actions/{id}/approval", None, "Approve: its short window starts"),
    _call("POST", "/actions/{id}/rejection", None, "Reject, with a reason"),
    _call("POST", "/actions/{id}/hold", None, "Hold: stop its clock"),
    _call("POST", "/actions/{id}/release", None, "Release with the time that was left"),
    _call("POST", "/actions/{id}/extension", None, "Extend by some seconds"),
    _call("POST", "/actions/{id}/run-now", None, "Run now"),
    _call("POST", "/actions/{id}/compensation", None, "Take back what was executed"),
    _call("POST", "/actions/{id}/again", None, "Draft what did not happen again"),
    _call("POST", "/actions/{id}/resolution", None, "Settle an unknown outcome"),
    _call("GET", "/events", "read", "Every transition in order; waits up to 30 s"),
    _call("GET", "/pauses", None, "List the pauses that stand"),
    _call("POST", "/pauses", None, "Stop claims for an agent, a kind or all"),
    _call("DELETE", "/pauses/{id}", None, "End a pause"),
    _call("POST", "/signals", "signal", "Say that the world changed: hold what it touches"),
    Route("GET", "/api/openapi.json", Who.ANYBODY, "This API, for programs"),
    _page("GET", "/api/docs", Who.ANYBODY, "This API, for people"),
)

_OPS = (
    Route("GET", "/healthz", Who.ANYBODY, "The process is alive"),
    Route("GET", "/readyz", Who.ANYBODY, "Ready to serve, or what is wrong"),
    Route("GET", "/metrics", Who.ANYBODY, "Figures for Prometheus"),
    _page("GET", "/static/{filename}", Who.ANYBODY, "Styles and scripts"),
)

_PAGES = (
    _page("GET", "/", Who.STAFF, "The feed"),
    _page("GET", "/approvals", Who.STAFF, "What waits for a decision"),
    _page("POST", "/approvals", Who.STAFF, "Approve or reject several at once"),
    _page("GET", "/history", Who.STAFF, "Any action there ever was"),
    _page("GET", "/reports", Who.STAFF, "What it came to, by kind, agent, day and hour"),
    _page("GET", "/reports.csv", Who.STAFF, "The same for spreadsheets"),
    Route("GET", "/reports.json", Who.STAFF, "The same for programs"),
    _page("GET", "/actions/{id}", Who.STAFF, "An action and its timeline"),
    Route("GET", "/actions/{id}/case.json", Who.STAFF, "All of one case, for a file"),
    _page("POST", "/actions/{id}/{verb}", Who.STAFF, "A button, without JavaScript"),
    _page("POST", "/actions/{id}/link", Who.STAFF, "Take the customer's link back, for a new one"),
    _page("GET", "/settings/", Who.ADMIN, "The policy table"),
    _page("GET", "/settings/people", Who.ADMIN, "Who may sign in"),
    _page("POST", "/settings/people", Who.ADMIN, "Add a person, who sets a password by a link"),
    _page("POST", "/settings/people/link", Who.ADMIN, "Another link to set a password"),
    _page("POST", "/settings/people/role", Who.ADMIN, "Change a person's role"),
    _page("POST", "/settings/people/deactivate", Who.ADMIN, "Sign a person out for good"),
    _page("POST", "/settings/people/activate", Who.ADMIN, "Let a person in again"),
    _page("GET", "/settings/agents", Who.ADMIN, "Which programs may draft"),
    _page("POST", "/settings/agents", Who.ADMIN, "Add a program; its token is shown once"),
    _page("POST", "/settings/agents/rotate", Who.ADMIN, "Another token for a program"),
    _page("POST", "/settings/agents/revoke", Who.ADMIN, "End a program's token"),
    _page("POST", "/settings/agents/scopes", Who.ADMIN, "What a program may do"),
    _page("GET", "/settings/stock", Who.ADMIN, "What may be reserved"),
    _page("POST", "/settings/stock", Who.ADMIN, "Set what is available of an item"),
    _page("GET", "/settings/pauses", Who.ADMIN, "What is paused, and who paused what"),
    _page("GET", "/settings/customers", Who.ADMIN, "Flagged customers"),
    _page("POST", "/settings/customers", Who.ADMIN, "Flag a customer"),
    _page("POST", "/settings/customers/unflag", Who.ADMIN, "Take a customer's flag away"),
    _page("GET", "/settings/sandbox", Who.ADMIN, "What the sandbox connectors did"),
    _page("GET", "/settings/{kind}", Who.ADMIN, "One kind's policy"),
    _page("POST", "/settings/{kind}", Who.ADMIN, "Change one kind's policy"),
    _page("POST", "/settings/{kind}/replay", Who.ADMIN, "Try a policy on what was drafted already"),
    _page("GET", "/settings/{kind}/ladder", Who.ADMIN, "From approval to a window, with evidence"),
    _page("POST", "/settings/{kind}/ladder", Who.ADMIN, "Run the race self-test"),
    _page("POST", "/settings/{kind}/preview", Who.ADMIN, "What a policy would do, unsaved"),
    _page("POST", "/settings/{kind}/restore", Who.ADMIN, "Put an earlier version back"),
    _page("GET", "/login", Who.ANYBODY, "The sign-in form"),
    _page("POST", "/login", Who.ANYBODY, "Sign in"),
    _page("POST", "/logout", Who.STAFF, "Sign out"),
    _page("GET", "/preferences", Who.STAFF, "How who is signed in wants the desk"),
    _page("POST", "/preferences", Who.STAFF, "Change that"),
    _page("GET", "/welcome/{token}", Who.ANYBODY, "A link by which somebody sets a password"),
    _page("POST", "/welcome/{token}", Who.ANYBODY, "Set it, and sign in"),
    _page("GET", "/s/{token}", Who.ANYBODY, "A customer's status page"),
    Route(
        *("POST", "/s/{token}/objection", Who.ANYBODY, "The customer says that it isn't right"),
        answer=Answer.PAGE,
        secret=True,
    ),
    _page("GET", "/pause", Who.STAFF, "What a pause would stop"),
    _page("POST", "/pause", Who.STAFF, "Pause everything, a kind or an agent"),
    _page("POST", "/pause/{id}/end", Who.STAFF, "Resume"),
    _page("GET", "/feed/rows", Who.STAFF, "The feed's rows alone"),
    Route("GET", "/feed/match", Who.STAFF, "Which rows a filter has"),
    Route("POST", "/feed/bulk", Who.STAFF, "One press for several actions"),
    _page("GET", "/feed/pauses", Who.STAFF, "The pauses that stand, alone"),
    Route("POST", "/feed/views", Who.STAFF, "What was really on screen"),
    Route("GET", "/feed/socket", Who.STAFF, "The live feed", None, Answer.SOCKET),
)

TABLE: tuple[Route, ...] = (*_API, *_OPS, *_PAGES)

_PLACEHOLDER = re.compile(r"<[^>]*>|\{[^}]*\}")


def pattern(path: str) -> str:
    """A path with its placeholders' names left out, Flask's or ours."""
    return _PLACEHOLDER.sub("{}", path)


_BY_PATTERN = {(route.method, pattern(route.path)): route for route in TABLE}


def route_of(method: str, rule: str) -> Route | None:
    """The line for a method and a rule of Flask's."""
    return _BY_PATTERN.get(("GET" if method == "HEAD" else method, pattern(rule)))


def not_in_table(app: Flask) -> list[str]:
    """Routes of `app` that no line names."""
    return [
        f"{method} {rule.rule}"
        for rule in app.url_map.iter_rules()
        for method in sorted(rule.methods or {"GET"})
        if method != "OPTIONS" and route_of(method, rule.rule) is None
    ]


def without_view(app: Flask, routes: Iterable[Route] = TABLE) -> list[str]:
    """Lines that `app` has no route for."""
    there = {
        (method, pattern(rule.rule))
        for rule in app.url_map.iter_rules()
        for method in rule.methods or {"GET"}
    }
    return [
        f"{route.method} {route.path}"
        for route in routes
        if (route.method, pattern(route.path)) not in there
    ]
