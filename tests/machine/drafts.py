"""Rules of the agents: drafting, with parents, stock and joining, and asking again with a key."""

from dataclasses import dataclass
from typing import Any

from hypothesis import strategies as st
from hypothesis.stateful import initialize, precondition, rule

from tests.machine.base import AGENTS, Base, nth, seldom
from tests.machine.model import One, Scope
from tests.unit.bodies import PAYLOADS, body
from webapp.domain.errors import (
    DependencyNotLive,
    DeskError,
    KeyReused,
    KindOff,
    NotFound,
    OutOfStock,
)
from webapp.domain.kinds.registry import DRAFTED, KINDS
from webapp.domain.states import RAN_OUT
from webapp.domain.times import SECOND, to_rfc3339
from webapp.services.draft import DraftResult, draft
from webapp.store.agents import Agent

_FAMILY = st.lists(st.sampled_from(DRAFTED), min_size=2, max_size=5)


@dataclass(frozen=True, slots=True)
class Asked:
    """A draft that was answered, and the action that its answer named."""

    agent: Agent
    key: str
    body: dict[str, Any]
    action: str


class Drafts(Base):
    """Two agents."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.asked: list[Asked] = []

    @rule(
        agent=st.sampled_from(AGENTS),
        kind=st.sampled_from(DRAFTED),
        parents=st.lists(nth, max_size=3),
        quantity=st.integers(1, 2),
        later=st.sampled_from((0, 0, 0, 200)),
        loses=seldom,
    )
    def draft(
        self, agent: Agent, kind: str, parents: list[int], quantity: int, later: int, loses: bool
    ) -> None:
        """Any kind; parents are the agent's own, mostly."""
        links = list(dict.fromkeys(self._parent(agent, number) for number in parents))
        asked = self._body(kind, depends_on=[one for one in links if one] or None)
        if kind == "exchange":
            asked["payload"] = {**asked["payload"], "quantity": quantity}
        if later:
            asked["not_before"] = to_rfc3339(self.db.at + later * SECOND)
        self._draft(agent, asked, f"k{next(self.number)}", loses=loses)

    @initialize(agent=st.sampled_from(AGENTS), kinds=_FAMILY, back=st.integers(1, 2))
    def begin(self, agent: Agent, kinds: list[str], back: int) -> None:
        """Some action is always there."""
        self.draft_family(agent, kinds, back)

    @rule(agent=st.sampled_from(AGENTS), kinds=_FAMILY, back=st.integers(1, 2))
    def draft_family(self, agent: Agent, kinds: list[str], back: int) -> None:
        """Each waits for the `back` before it: a chain, or a braid."""
        made: list[str] = []
        for kind in kinds:
            before = len(self.model.rows)
            links = [one for one in made[-back:] if self.model.rows[one].state not in RAN_OUT]
            self._draft(agent, self._body(kind, depends_on=links or None), None, loses=False)
            made += list(self.model.rows)[before:]

    @rule(
        agent=st.sampled_from(AGENTS),
        kind=st.sampled_from(("reply", "webhook")),
        customer=st.sampled_from(("c-1", "c-2")),
        keyed=st.booleans(),
        loses=seldom,
    )
    def draft_to_join(
        self, agent: Agent, kind: str, customer: str, keyed: bool, loses: bool
    ) -> None:
        """It joins what is scheduled in its scope."""
        asked = self._body(kind, customer={"ref": customer}, merge_key="m")
        key = f"k{next(self.number)}" if keyed else None
        self._draft(agent, asked, key, loses=loses)

    @precondition(lambda self: self.asked)
    @rule(number=nth, changed=st.booleans())
    def draft_again(self, number: int, changed: bool) -> None:
        """Promise 9: the same key answers with the same action, whatever became of it."""
        first = self.asked[-1 - number % len(self.asked)]
        asked = {**first.body, "summary": "Something else"} if changed else first.body
        answer = self.ask(lambda: draft(self.desks[1], first.agent, asked, first.key))
        if changed:
            assert isinstance(answer, KeyReused), answer
        else:
            assert isinstance(answer, DraftResult), answer
            assert (answer.action.id, answer.created) == (first.action, False)

    def _parent(self, agent: Agent, number: int) -> str | None:
        """Live and the agent's own, but for one in eight."""
        every = list(self.model.rows.values())
        fit = [one for one in every if one.agent == agent.name and one.state not in RAN_OUT]
        pool = fit if number < 56 else every
        return pool[-1 - number % len(pool)].id if pool else None

    def _body(self, kind: str, **changes: Any) -> dict[str, Any]:
        number = next(self.number)
        payload = dict(PAYLOADS[kind])
        if "body" in payload:
            payload["body"] = f"text {number}"
        return body(kind, payload=payload, summary=f"Do {number}", **changes)

    def _draft(self, agent: Agent, asked: dict[str, Any], key: str | None, *, loses: bool) -> None:
        desk = self.desks[AGENTS.index(agent)]
        wanted = self._expected(agent, asked)
        answer = self.ask(lambda: draft(desk, agent, asked, key), loses=loses)
        if isinstance(answer, DeskError) or isinstance(wanted, type):
            assert type(answer) is wanted, f"{answer!r}, not {wanted}"
            return
        assert answer.created is (wanted is None), answer
        if wanted is None:
            self._add(agent, asked, answer.action.id)
        else:
            assert answer.action.id == wanted.id
            wanted.texts.append(asked["payload"]["body"])
        if key is not None:
            self.asked.append(Asked(agent, key, asked, answer.action.id))

    def _expected(self, agent: Agent, asked: dict[str, Any]) -> type[DeskError] | One | None:
        """The refusal, the action that it joins, or None: a new one."""
        model, kind = self.model, asked["kind"]
        parents = [model.rows[one] for one in asked.get("depends_on", ())]
        if model.mode(kind) == "off":
            return KindOff
        if any(one.agent != agent.name for one in parents):
            return NotFound
        if any(one.state in RAN_OUT for one in parents):
            return DependencyNotLive
        if kind == "exchange" and asked["payload"]["quantity"] > self.model.available:
            return OutOfStock
        if model.mode(kind) == "approval":
            return None
        return model.joinable(_scope(agent, asked))

    def _add(self, agent: Agent, asked: dict[str, Any], action_id: str) -> None:
        kind, payload = asked["kind"], asked["payload"]
        self.model.rows[action_id] = One(
            action_id,
            kind,
            agent.name,
            self.model.begins(kind),
            set(asked.get("depends_on", ())),
            payload.get("quantity", 0),
            scope=_scope(agent, asked),
            texts=[payload["body"]] if KINDS[kind].joining else [],
        )


def _scope(agent: Agent, asked: dict[str, Any]) -> Scope | None:
    key = asked.get("merge_key")
    return key and (asked["kind"], agent.name, asked["customer"]["ref"], key)
