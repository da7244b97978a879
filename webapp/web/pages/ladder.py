"""From approval to a window, step by step, with what the records say at each."""

from collections.abc import Iterator

from flask import request
from werkzeug.wrappers import Response as AnyResponse

from webapp.domain.errors import Unavailable
from webapp.domain.kinds.registry import KINDS
from webapp.domain.times import duration
from webapp.services import self_test
from webapp.services.ladder import Ladder, ladder
from webapp.services.self_test import Step
from webapp.store.evidence import LOOKED_AT
from webapp.web.current import caller, desk
from webapp.web.pages.admin import called, pages, settings_page, streamed
from webapp.web.pages.kind_page import saved

_TEMPLATE = "settings/ladder.html"
_LONGEST = 604_800


@pages.get("/<kind>/ladder")
def steps(kind: str) -> str:
    """The evidence, for the saved window or the one in `?window_seconds=`."""
    saved(kind)
    text = request.args.get("window_seconds", "").strip()
    window = int(text) if text.isascii() and text.isdigit() and len(text) < 7 else None
    wrong = bool(text) and (window is None or window > _LONGEST)
    found = ladder(desk(), kind, None if wrong else window)
    return settings_page(_TEMPLATE, "/settings/", **_shown(kind, found), wrong=wrong, asked=text)


@pages.post("/<kind>/ladder")
def test(kind: str) -> AnyResponse:
    """Runs the race self-test; the page is sent as it goes on."""
    saved(kind)
    found = ladder(desk(), kind)
    trials = _trials(self_test.run(desk(), caller().actor))
    return streamed(_TEMPLATE, "/settings/", **_shown(kind, found), trials=trials)


def _shown(kind: str, found: Ladder) -> dict[str, object]:
    return {
        "kind": KINDS[kind],
        "found": found,
        "names": called(),
        "duration": duration,
        "looked_at": LOOKED_AT,
        "longest": self_test.SECONDS,
        "on_postgresql": desk().db.dialect == "postgresql",
    }


def _trials(found: Iterator[Step]) -> Iterator[Step | str]:
    """The steps; or why they end early, in words: the page is half sent by then."""
    try:
        yield from found
    except Unavailable as problem:
        yield problem.detail
