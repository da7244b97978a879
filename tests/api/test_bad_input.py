"""Bad input to every route: a clear message, nothing written, never a 500."""

import io
import json
from typing import Any

import pytest

from tests.api.world import World, draft
from webapp.domain.states import State
from webapp.web.api.body import MOST_DEEP
from webapp.web.openapi import CALLS
from webapp.web.routes import API, SAFE, TABLE, Answer, Route

DRAFTED = json.dumps(draft())
BROKEN: dict[str, tuple[bytes, int]] = {
    "not JSON": (b"{", 400),
    "two values": (b"{}{}", 400),
    "single quotes": (b"{'reason': 'x'}", 400),
    "a list": (b"[]", 400),
    "a text": (b'"text"', 400),
    "a number": (b"7", 400),
    "null": (b"null", 400),
    "NaN": (b'{"reason": NaN}', 400),
    "infinity": (b'{"reason": -Infinity}', 400),
    "a number beyond a double": (b'{"reason": 1e999}', 400),
    "a number of 5,000 digits": (b'{"reason": ' + b"9" * 5_000 + b"}", 400),
    "a name twice": (b'{"reason": "a", "reason": "b"}', 400),
    "latin-1": ('{"reason": "ü"}'.encode("latin-1"), 400),
    "a byte order mark": (b'\xef\xbb\xbf{"reason": "x"}', 400),
    "UTF-16": ('{"reason": "x"}'.encode("utf-16"), 400),
    "NUL": (b'{"reason": "a\\u0000b"}', 400),
    "a lone surrogate": (b'{"reason": "\\ud800"}', 400),
    "a surrogate for a name": (b'{"\\ud800": 1}', 400),
    "a control character": (b'{"reason": "\x01"}', 400),
    "very deep": (b'{"reason": ' + b"[" * 100_000 + b"]" * 100_000 + b"}", 400),
    "too deep": (b'{"reason": ' + b"[" * MOST_DEEP + b"]" * MOST_DEEP + b"}", 400),
    "deep objects": (b'{"a":' * 5_000 + b"1" + b"}" * 5_000, 400),
    "an unknown field": (b'{"surprise": 1}', 400),
    "__proto__": (b'{"__proto__": {}}', 400),
    "a wrong type": (b'{"reason": {"a": 1}}', 400),
    "too large": (b'{"reason": "' + b"x" * 1024 * 1024 + b'"}', 413),
}
BODIES = [route for route in TABLE if CALLS.get(key := (route.method, route.path[len(API):]))
          and CALLS[key].body]  # fmt: skip


def named(route: Route) -> str:
    return f"{route.method} {route.path}"


def path_of(route: Route, action_id: str) -> str:
    wanted = action_id if "/actions/" in route.path else "7"
    return route.path.replace("{id}", wanted).replace("{verb}", "cancel").replace("{kind}", "label")


@pytest.fixture(scope="module")
def drafted(still: World) -> str:
    """An action that nothing in this module may change."""
    return str(still.returns.draft()["id"])


def send(world: World, route: Route, path: str, **kwargs: Any) -> Any:
    """As whoever may: the agent where only agents do, else an admin in the browser."""
    if route.scope == "draft":
        who: dict[str, str] = {"Authorization": f"Bearer {world.returns.token}"}
        return world.returns.client.open(path, method=route.method, headers=who, **kwargs)
    who = {"X-CSRFToken": world.ida.csrf}
    return world.ida.client.open(path, method=route.method, headers=who, **kwargs)


@pytest.mark.parametrize("fault", BROKEN)
@pytest.mark.parametrize("route", BODIES, ids=named)
def test_a_body_that_is_wrong(still: World, drafted: str, route: Route, fault: str) -> None:
    raw, status = BROKEN[fault]
    before = still.everything()
    answer = send(still, route, path_of(route, drafted), data=raw, content_type="application/json")
    assert answer.status_code == status, answer.text
    assert answer.mimetype == "application/problem+json"
    assert answer.json["code"] == {400: "invalid", 413: "too_large"}[status]
    assert len(answer.json["detail"]) < 20_000
    assert "sys." not in answer.json["detail"], "Python's own advice is no answer"
    assert still.everything() == before


def test_a_body_in_chunks_is_not_cut_short(still: World) -> None:
    """What stands behind the limit is not overlooked."""
    before = still.everything()
    answer = still.returns.client.post(
        f"{API}/actions",
        input_stream=io.BytesIO(DRAFTED.encode() + b" " * 1024 * 1024 + b"}"),
        content_type="application/json",
        headers={"Authorization": f"Bearer {still.returns.token}"},
        environ_overrides={"wsgi.input_terminated": True, "CONTENT_LENGTH": ""},
    )
    assert (answer.status_code, answer.json["code"]) == (413, "too_large")
    assert still.everything() == before


@pytest.mark.parametrize("version", [0, -1, 2**31, 1.0, "1", True, [1], {}])
@pytest.mark.parametrize(
    "route", [route for route in BODIES if "/actions/" in route.path], ids=named
)
def test_a_version_that_is_none(still: World, drafted: str, route: Route, version: object) -> None:
    before = still.everything()
    answer = send(still, route, path_of(route, drafted), json={"version": version})
    assert answer.status_code == 400
    assert "/version" in [error["pointer"] for error in answer.json["errors"]]
    assert still.everything() == before


@pytest.mark.parametrize("kind", ["text/plain", "application/x-www-form-urlencoded", "x", None])
@pytest.mark.parametrize("route", BODIES, ids=named)
def test_another_content_type(still: World, drafted: str, route: Route, kind: str | None) -> None:
    before = still.everything()
    answer = send(still, route, path_of(route, drafted), data=DRAFTED, content_type=kind)
    assert (answer.status_code, answer.json["code"]) == (415, "unsupported_media_type")
    assert "application/json" in answer.json["detail"]
    assert still.everything() == before


@pytest.mark.parametrize("kind", ["application/json; charset=utf-8", "application/vnd.x+json"])
def test_json_under_its_other_names(still: World, kind: str) -> None:
    headers = {"Authorization": f"Bearer {still.returns.token}"}
    answer = still.returns.client.post(
        f"{API}/actions", data=DRAFTED, content_type=kind, headers=headers
    )
    assert answer.status_code == 201


def test_a_compressed_body_is_refused(still: World) -> None:
    headers = {"Authorization": f"Bearer {still.returns.token}", "Content-Encoding": "gzip"}
    answer = still.returns.client.post(f"{API}/actions", json=draft(), headers=headers)
    assert answer.status_code == 415


@pytest.mark.parametrize(
    "route", [route for route in TABLE if route.answer is not Answer.SOCKET], ids=named
)
def test_another_method(still: World, drafted: str, route: Route) -> None:
    """405 says in Allow what there is."""
    path = path_of(route, drafted)
    there = {one.method for one in TABLE if one.path == route.path}
    for method in {"GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS", "TRACE"} - there:
        before = still.everything()
        answer = still.ida.client.open(path, method=method, headers={"X-CSRFToken": still.ida.csrf})
        if answer.status_code != 404:
            assert answer.status_code == 405, (method, path, answer.text)
            assert there <= set(answer.headers["Allow"].split(", "))
        assert still.everything() == before


@pytest.mark.parametrize("route", [r for r in TABLE if r.method in SAFE], ids=named)
def test_get_never_changes_state(still: World, drafted: str, route: Route) -> None:
    """activepieces/activepieces#14024, n8n-io/n8n#34255: a mail scanner's GET approved it."""
    waiting = still.put(State.AWAITING_APPROVAL)["id"]
    for action_id in (drafted, waiting):
        before = still.everything()
        for method in ("GET", "HEAD"):
            answer = still.ida.client.open(path_of(route, action_id), method=method)
            assert answer.status_code != 500
        assert still.everything() == before


@pytest.mark.parametrize(
    "route", [r for r in TABLE if r.method in SAFE and r.path.startswith("/actions/")], ids=named
)
@pytest.mark.parametrize("action_id", ["x", "%00", "%ff", "..", "a" * 5_000, "' OR 1=1 --"])
def test_a_page_of_no_action(still: World, route: Route, action_id: str) -> None:
    answer = still.ida.client.get(route.path.replace("{id}", action_id))
    assert answer.status_code == 404


@pytest.mark.parametrize(
    "route",
    [r for r in TABLE if r.answer is Answer.PAGE and r.method not in SAFE],
    ids=named,
)
@pytest.mark.parametrize("value", ["", "\x00", "ü" * 5_000, "' OR 1=1 --", "\ud83d\ude00"[:1]])
def test_a_form_of_nonsense(still: World, route: Route, value: str) -> None:
    """Fields that any page's form may have, each with the same nonsense."""
    if route.path == "/logout":
        return
    names = [
        "email",
        "password",
        "next",
        "version",
        "reason",
        "seconds",
        "note",
        "name",
        "outcome",
        "mode",
        "window_seconds",
        "margin_seconds",
        "id",
        "kind",
        "agent",
    ]
    form = {name: value.encode("utf-8", "surrogatepass") for name in names}
    path = path_of(route, "01900000-0000-7000-8000-000000000000")
    answer = send(still, route, path, data=form)
    assert answer.status_code < 500, answer.text


@pytest.mark.parametrize("views", ["x", [1], [{"id": 1}], [{"id": "\x00", "version": 1}],
                                   [{"id": "x", "version": 2**70}], [{}] * 10_000])  # fmt: skip
def test_views_of_nonsense(still: World, views: object) -> None:
    answer = still.ana.client.post(
        "/feed/views", json={"views": views}, headers={"X-CSRFToken": still.ana.csrf}
    )
    assert answer.status_code in (200, 204, 400)
