"""The banner of a database that was put back. Promise 14."""

import re

import pytest

from tests.api.world import World
from webapp.services import pause
from webapp.services.caller import Caller
from webapp.store import lineage


@pytest.mark.parametrize("path", ["/", "/settings/", "/settings/people", "/settings/sandbox", "id"])
def test_every_page_of_staff_says_it_and_how_it_ends(world: World, path: str) -> None:
    """Issue 3, 8: a clear banner, until somebody resumes."""
    made = world.returns.draft()
    world.db.transact(lineage.put_back)
    here = f"/actions/{made['id']}" if path == "id" else path
    html = world.ida.client.get(here).text
    assert "This database was put back from a backup or copied." in html
    assert "<code>undo-desk resume</code>" in html
    (ends,) = re.findall(r'action="(/pause/\d+/end)"', html)
    pause.resume(world.desk, Caller.command())
    assert "put back from a backup" not in world.ida.client.get(here).text
    assert world.ida.client.post(ends, data={"csrf_token": world.ida.csrf}).status_code == 303


def test_a_person_who_says_the_same_is_named(world: World) -> None:
    """The banner speaks for the desk itself only."""
    world.ana.post("/pauses", {"reason": lineage.PUT_BACK})
    html = world.ana.client.get("/").text
    assert "This database was put back" not in html
    assert "Ana" in html
