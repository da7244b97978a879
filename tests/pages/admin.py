"""An admin's browser on the settings pages."""

import re
from dataclasses import dataclass
from typing import Any

from tests.api.world import Person, World


@dataclass
class Answer:
    """A page, its status and where it sends on to."""

    code: int
    html: str
    text: str
    location: str


def get(who: Person, path: str) -> Answer:
    return _answer(who.client.get(path))


def post(who: Person, path: str, fields: dict[str, str], *, csrf: bool = True) -> Answer:
    """A form's post; the token is that of the page unless `csrf` is False."""
    body = {**fields, "csrf_token": who.csrf} if csrf else fields
    return _answer(who.client.post(path, data=body))


def form(who: Person, kind: str) -> dict[str, str]:
    """What the form of a kind would send, untouched."""
    html = get(who, f"/settings/{kind}").html
    fields = dict(
        re.findall(r'<input id="[a-z_]+" type="text" name="([a-z_]+)" value="([^"]*)"', html)
    )
    for name, inner in re.findall(
        r'<select id="[a-z_]+" name="([a-z_]+)".*?>(.*?)</select>', html, re.DOTALL
    ):
        chosen = re.search(r'<option value="([^"]*)" selected>', inner)
        assert chosen, name
        fields[name] = chosen[1]
    mode = re.search(r'name="mode" value="([a-z]+)" checked', html)
    seen = re.search(r'name="seen" value="([0-9a-f]+)"', html)
    assert mode
    assert seen
    return fields | {"mode": mode[1], "seen": seen[1]}


def policy(world: World, kind: str) -> dict[str, Any]:
    """The row as it stands."""
    return world.desk.policy(kind).model_dump(mode="json")


def _answer(response: Any) -> Answer:
    html = response.text
    text = " ".join(re.sub(r"<[^>]+>", " ", html.partition("<main")[2]).split())
    return Answer(response.status_code, html, text, response.headers.get("Location", ""))
