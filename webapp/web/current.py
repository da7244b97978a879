"""What belongs to the request under way: the desk, who asks, their rights."""

import secrets
from typing import cast

from flask import current_app, g

from webapp.services.caller import Caller
from webapp.services.desk import Desk
from webapp.store.agents import Agent
from webapp.store.people import Person

EXTENSION = "undo-desk"
"""Where `app.extensions` keeps the desk."""


def desk() -> Desk:
    """The desk that this application serves."""
    return cast(Desk, current_app.extensions[EXTENSION])


def caller() -> Caller:
    """Who asks, for services. Only behind a route that is not for anybody."""
    return cast(Caller, g.caller)


def person() -> Person:
    """Who is signed in. Only behind a route for people."""
    return cast(Person, g.person)


def agent() -> Agent:
    """Which program asks. Only behind a route for agents alone."""
    return cast(Agent, g.agent)


def csp_nonce() -> str:
    """The nonce of this answer's Content-Security-Policy, for `<script nonce=…>`."""
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(16)
    return cast(str, g.csp_nonce)
