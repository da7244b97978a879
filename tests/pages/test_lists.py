"""People, agents, stock, flagged customers, the sandbox."""

import time
from pathlib import Path
from typing import Any

from tests.api.world import World
from tests.pages.admin import get, post
from webapp.connectors.base import Effect, EffectRequest
from webapp.connectors.registry import connectors
from webapp.services import customers

HOSTILE = "<script>alert(1)</script>\u202e"


def test_people_agents_and_stock_are_listed_with_how_to_add(world: World) -> None:
    people = get(world.ida, "/settings/people").text
    assert "Ana ana@example.com Staff" in people
    assert "Ida ida@example.com Admin" in people
    assert "undo-desk user add" in people
    agents = get(world.ida, "/settings/agents")
    assert "returns May cancel, draft, read, signal" in agents.text
    assert "undo-desk agent add" in agents.text
    assert "ud_" not in agents.html.replace("ud_csrf", "")
    stock = get(world.ida, "/settings/stock").text
    assert "cup-blue 3" in stock
    assert "undo-desk stock import" in stock


def test_a_customer_is_flagged_and_unflagged(world: World) -> None:
    here = "/settings/customers"
    assert "Nobody is flagged." in get(world.ida, here).text
    answer = post(world.ida, here, {"ref": " c-17 ", "reason": HOSTILE})
    assert (answer.code, answer.location) == (303, here)
    page = get(world.ida, here)
    assert "Flagged c-17." in page.text
    assert "by Ida" in page.text
    assert "<script>alert" not in page.html
    assert "\u202e" not in page.html
    assert [flag.ref for flag in customers.flags(world.desk)] == ["c-17"]

    assert post(world.ida, f"{here}/unflag", {"ref": "c-17"}).code == 303
    assert "c-17 is not flagged any more." in get(world.ida, here).text
    assert post(world.ida, f"{here}/unflag", {"ref": "c-17"}).code == 303
    assert "is not flagged." in get(world.ida, here).text
    assert customers.flags(world.desk) == []


def test_a_bad_reference_loses_nothing(world: World) -> None:
    for ref in ("", "x" * 201, "a\u202eb"):
        answer = post(world.ida, "/settings/customers", {"ref": ref, "reason": "because"})
        assert answer.code == 400
        assert 'id="ref-error">needs 1 to 200 printable characters' in answer.html
        assert 'value="because"' in answer.html
    assert customers.flags(world.desk) == []


def test_flags_need_an_admin_and_the_token(world: World) -> None:
    fields = {"ref": "c-17", "reason": ""}
    assert post(world.ana, "/settings/customers", fields).code == 403
    assert post(world.ida, "/settings/customers", fields, csrf=False).code == 403
    assert customers.flags(world.desk) == []


def test_the_sandbox_shows_effects_and_what_took_them_back(world: World, tmp_path: Path) -> None:
    world.desk.settings = world.settings.model_copy(
        update={"sandbox_path": str(tmp_path / "sandbox.db")}
    )
    page = get(world.ida, "/settings/sandbox")
    assert "Nothing has happened yet." in page.text
    assert not (tmp_path / "sandbox.db").exists()

    made = connectors(world.desk.settings)

    def effect(kind: str, payload: dict[str, Any], name: str) -> Effect:
        request = EffectRequest(
            key=f"act_{name}", kind=kind, payload=payload, action_id=name, attempt=1,
            deadline=time.monotonic() + 10,
        )  # fmt: skip
        return made[kind].send(request)

    amount = {"value": 1250, "currency": "INR"}
    done = effect("refund", {"payment": HOSTILE, "amount": amount, "reason": ""}, "first")
    back = {"refund": done.provider_id, "payment": "p", "amount": amount, "note": ""}
    effect("refund.reversal", back, "second")
    page = get(world.ida, "/settings/sandbox")
    assert page.html.index('href="/actions/second"') < page.html.index('href="/actions/first"')
    assert f"Goes back to Refund {done.provider_id}" in page.text
    assert "Taken back by Refund reversal" in page.text
    assert "Refund ₹12.50 payment &lt;script" in page.text
    assert "Reversed" in page.text
    assert "act_first" in page.text
    assert "Older" not in page.text

    for number in range(50):
        reply = {"to": "asha@example.com", "subject": "s", "body": "b"}
        effect("reply", reply, f"reply-{number}")
    first, second = (get(world.ida, f"/settings/sandbox?page={page}") for page in (1, 2))
    assert first.html.count("act_reply-") == 50
    assert "Older" in first.text
    assert "act_first" not in first.text
    assert "act_first" in second.text
    assert "Newer" in second.text
    assert "There is nothing on page 3." in get(world.ida, "/settings/sandbox?page=3").text
    for odd in ("-1", "0", "x", "²", "9" * 400, ""):
        assert get(world.ida, f"/settings/sandbox?page={odd}").code == 200
