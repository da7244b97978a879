"""Who asks."""

import uuid
from dataclasses import dataclass

from webapp.store.agents import Agent
from webapp.store.asker import Asker
from webapp.store.people import Person


@dataclass(frozen=True, slots=True)
class Caller:
    """A person, an agent or the desk itself.

    `actor` stands in events; `owner` is an agent's name and limits it to its own actions;
    `request` names a call that may be repeated: its repeat is answered as the first one was.
    """

    actor: str
    name: str
    owner: str | None = None
    person_id: int | None = None
    request: str | None = None

    @classmethod
    def person(cls, who: Person) -> "Caller":
        """Staff: any action."""
        return cls(who.actor, who.name, None, who.id)

    @classmethod
    def agent(cls, who: Agent) -> "Caller":
        """A program: its own actions only."""
        return cls(f"agent:{who.name}", who.name, who.name)

    @classmethod
    def command(cls) -> "Caller":
        """Whoever may run commands on the host."""
        return cls("command", "the command line")

    def asker(self, reason: str | None = None, seen: int | None = None) -> Asker:
        """For the store's arrows: one asker a call, also when its transaction runs again."""
        request = self.request or uuid.uuid4().hex
        return Asker(self.actor, reason or None, self.owner, seen, request)


POLICY = Caller("policy", "the policy")
"""The desk itself: expiry, breakers."""
