"""What belongs to the request under way: the desk, who asks, their rights."""

import secrets
from typing import cast

from flask import current_app, g

from webapp.domain.errors import Unavailable
from webapp.domain.preferences import Preferences
from webapp.services import preferences as chosen
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


def preferences() -> Preferences:
    """How who is signed in wants the desk; the defaults for anybody else."""
    who = g.get("person")
    if who is None:
        return Preferences()
    if "preferences" not in g:
        try:
            g.preferences = chosen.of(desk(), who.id)
        except Unavailable:
            return Preferences()  # a page that says so looks as it does for everybody
    return cast(Preferences, g.preferences)


def agent() -> Agent:
    """Which program asks. Only behind a route for agents alone."""
    return cast(Agent, g.agent)


def csp_nonce() -> str:
    """The nonce of this answer's Content-Security-Policy, for `<script nonce=…>`."""
    if "csp_nonce" not in g:
        g.csp_nonce = secrets.token_urlsafe(16)
    return cast(str, g.csp_nonce)
