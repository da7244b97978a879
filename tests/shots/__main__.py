"""`python -m tests.shots [--only WORD] [--into FOLDER]`: pictures of every page, and an index.

Exit 1 where a page is wider than its window, says something on the console, or has no picture.
"""

import argparse
import html
import sys
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Page, sync_playwright

from tests.fixtures.chromium import launch_options
from tests.shots.pages import Shot, missing, shots
from tests.shots.scene import Scene, scene

WIDTHS = (1440, 768, 390, 320)
HEIGHT, TALLEST = 900, 12_000
SETTLED_MS = 300
"""For times in the reader's zone, plots and the socket's first frames."""
_TOO_WIDE = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@dataclass(frozen=True, slots=True)
class Look:
    """One way to look at all pages."""

    name: str
    options: dict[str, Any]
    media: dict[str, Any] = field(default_factory=dict)

    @property
    def width(self) -> int:
        return int(self.options["viewport"]["width"])


def looks() -> Iterator[Look]:
    """Both themes at each width; then zoomed, printed, and with high contrast."""
    for scheme in ("light", "dark"):
        for width in WIDTHS:
            yield Look(f"{width}-{scheme}", _window(width, color_scheme=scheme))
    # 200 % of a window 1280 wide
    yield Look("zoomed", _window(640, device_scale_factor=2))
    yield Look("print", _window(794), {"media": "print"})
    yield Look("contrast", _window(1280, contrast="more"))
    yield Look("forced", _window(1280, forced_colors="active"))


def _window(width: int, **more: Any) -> dict[str, Any]:
    return {
        "viewport": {"width": width, "height": HEIGHT},
        "reduced_motion": "reduce",
        "timezone_id": "Asia/Kolkata",
        **more,
    }


def main() -> int:
    """The exit status."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--only", default="", help="pages whose name has this word")
    parser.add_argument("--look", default="", help="looks whose name has this word")
    parser.add_argument("--into", type=Path, default=Path(".shots"))
    asked = parser.parse_args()
    asked.into.mkdir(parents=True, exist_ok=True)
    with scene() as made, sync_playwright() as playwright:
        browser = playwright.chromium.launch(**launch_options(playwright))
        wanted = [one for one in shots(made) if asked.only in one.name]
        seen = [one for one in looks() if asked.look in one.name]
        troubles = [f"no picture of {path}" for path in missing(made)]
        for look in seen:
            troubles += _take(browser, made, look, wanted, asked.into)
        browser.close()
    (asked.into / "index.html").write_text(_index(wanted, seen))
    for trouble in troubles:
        sys.stderr.write(f"{trouble}\n")
    sys.stdout.write(f"{len(wanted) * len(seen)} pictures: {asked.into / 'index.html'}\n")
    return 1 if troubles else 0


def _take(
    browser: Browser, made: Scene, look: Look, wanted: list[Shot], into: Path
) -> Iterator[str]:
    for who in dict.fromkeys(one.who for one in wanted):
        context = browser.new_context(**look.options)
        if who is not None:
            cookie: Any = {"name": "ud_session", "value": made.cookies[who], "url": made.url}
            context.add_cookies([cookie])
        page = context.new_page()
        if look.media:
            page.emulate_media(**look.media)
        said: list[str] = []
        listen(page, said)
        for shot in (one for one in wanted if one.who == who):
            yield from _picture(page, made, look, shot, said, into)
        context.close()


def listen(page: Page, said: list[str]) -> None:
    """Keeps in `said` what scripts complain about."""
    page.on("console", lambda one: said.append(one.text) if one.type == "error" else None)
    page.on("pageerror", lambda error: said.append(str(error)))


def _picture(
    page: Page, made: Scene, look: Look, shot: Shot, said: list[str], into: Path
) -> Iterator[str]:
    page.set_viewport_size({"width": look.width, "height": HEIGHT})
    answer = page.goto(made.url + shot.path)
    for _ in range(2):
        # by content-visibility, rows below the window are as tall as they are once painted
        tall = page.evaluate("document.documentElement.scrollHeight")
        page.set_viewport_size({"width": look.width, "height": min(tall, TALLEST)})
        page.wait_for_timeout(SETTLED_MS)
    page.screenshot(path=into / _file(shot, look), full_page=True)
    where = f"{shot.name}, {look.name}"
    if (wide := page.evaluate(_TOO_WIDE)) > 0:
        yield f"{where}: {wide} px too wide"
    # a page that is refused on purpose is told by the browser, too
    expected = answer is not None and not answer.ok
    yield from (f"{where}: {words}" for words in said if not expected)
    said.clear()


def _file(shot: Shot, look: Look) -> str:
    return f"{shot.name.replace(' ', '-')}-{look.name}.png"


def _index(wanted: list[Shot], seen: list[Look]) -> str:
    rows = (
        f"<h2>{html.escape(shot.name)}</h2><p>"
        + " ".join(
            f'<a href="{_file(shot, look)}"><img loading="lazy" alt="{look.name}" '
            f'title="{look.name}" src="{_file(shot, look)}"></a>'
            for look in seen
        )
        for shot in wanted
    )
    style = "img{height:18rem;vertical-align:top;border:1px solid #888}body{font:1rem sans-serif}"
    return (
        f"<!doctype html><meta charset=utf-8><title>Shots</title><style>{style}</style>"
        + "".join(rows)
    )


if __name__ == "__main__":
    sys.exit(main())
