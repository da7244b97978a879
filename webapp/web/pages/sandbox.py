"""What the sandbox connectors did instead of the world."""

from dataclasses import dataclass

from flask import request

from webapp.domain.kinds.registry import KINDS
from webapp.services import sandbox
from webapp.services.sandbox import Effect
from webapp.web.current import desk
from webapp.web.moments import amount
from webapp.web.pages.admin import pages, settings_page

_PAGE = 50
_LAST = 1_000_000


@dataclass(frozen=True, slots=True)
class Line:
    """One effect with its words."""

    effect: Effect
    label: str
    amount: str
    target: str


@pages.get("/sandbox")
def effects() -> str:
    """Newest first, 50 a page (`?page=2`); what is no number is the first page."""
    text = request.args.get("page", "")
    number = min(max(int(text), 1), _LAST) if text.isascii() and text.isdigit() else 1
    found = sandbox.newest(desk(), limit=_PAGE + 1, skip=(number - 1) * _PAGE)
    return settings_page(
        "sandbox/page.html",
        "/settings/sandbox",
        lines=[_line(effect) for effect in found[:_PAGE]],
        number=number,
        more=len(found) > _PAGE,
        kinds=KINDS,
    )


def _line(effect: Effect) -> Line:
    kind = KINDS[effect.entry.kind]
    money = kind.amount(effect.entry.payload)
    target = kind.target(effect.entry.payload)
    return Line(effect, kind.label, amount(*money) if money else "", target)
