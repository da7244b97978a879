"""The API keeps to its own description, whatever is sent: fuzzed by schemathesis."""

from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from schemathesis import GenerationMode, checks
from schemathesis.schemas import BaseSchema

from tests.api.world import World
from webapp.domain.states import State
from webapp.web.api.schemas import ANSWERS
from webapp.web.openapi import CALLS, api_routes
from webapp.web.routes import API, Route, Who

CHECKS = [
    checks.not_a_server_error,
    checks.status_code_conformance,
    checks.content_type_conformance,
    checks.response_schema_conformance,
]
bounded = settings(
    max_examples=12,
    database=None,
    deadline=None,
    derandomize=True,
    phases=[Phase.explicit, Phase.generate],
    suppress_health_check=list(HealthCheck),
)


@pytest.fixture(scope="module")
def described(still: World) -> BaseSchema:
    return schemathesis.openapi.from_wsgi("/api/openapi.json", still.app)


@pytest.fixture(scope="module")
def ids(still: World) -> list[str]:
    """An action in each state, so that not every call ends at 404."""
    return [still.put(state)["id"] for state in State]


def signed(world: World, role: str) -> dict[str, dict[str, str]]:
    """Headers and cookies that stand over whatever was generated."""
    if role == "agent":
        return {"headers": {"Authorization": f"Bearer {world.returns.token}"}}
    cookies = {n: world.ana.client.get_cookie(n).value for n in ("ud_session", "ud_csrf")}
    return {"headers": {"X-CSRFToken": world.ana.csrf}, "cookies": cookies}


def _takes(route: Route) -> bool:
    """Whether anything is sent that could be wrong."""
    call = CALLS[route.method, route.path.removeprefix(API)]
    return bool(call.body or call.query or call.key or "{" in route.path)


ASKED = [
    pytest.param(route, role, mode, id=f"{route.method} {route.path} {role} {mode.value}")
    for route in api_routes()
    for role in ("agent", "staff")
    if (route.scope if role == "agent" else route.who is not Who.NO_PERSON)
    for mode in GenerationMode
    if mode is GenerationMode.POSITIVE or _takes(route)
]


@pytest.mark.parametrize(("route", "role", "mode"), ASKED)
def test_whatever_is_sent(
    still: World, described: BaseSchema, ids: list[str], route: Route, role: str, mode: Any
) -> None:
    operation, own = described[route.path][route.method], signed(still, role)

    @bounded
    @given(case=operation.as_strategy(generation_mode=mode), data=st.data())
    def ask(case: Any, data: st.DataObject) -> None:
        if "/actions/{id}" in route.path and data.draw(st.booleans()):
            case.path_parameters = {"id": data.draw(st.sampled_from(ids))}
        case.headers.pop("Authorization", None)
        answer = case.call(**own)
        if answer.status_code == 401:  # some wrong requests are to come without a token
            assert "Authorization" not in answer.request.headers
        case.validate_response(answer, checks=CHECKS)

    ask()


def test_the_document_names_every_call_and_schema(still: World) -> None:
    document = still.returns.client.get("/api/openapi.json").json
    there = {
        (method.upper(), path.removeprefix(API))
        for path, operations in document["paths"].items()
        for method in operations
    }
    assert there == set(CALLS)
    assert set(ANSWERS) < set(document["components"]["schemas"])


def test_the_page_for_people_names_every_call(still: World) -> None:
    page = still.returns.client.get("/api/docs").text
    for route in api_routes():
        assert f"<code>{route.method} {route.path}</code>" in page
