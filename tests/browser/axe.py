"""axe-core, asked about the page that is open."""

from functools import cache
from pathlib import Path

from playwright.sync_api import Page

_RUN = "axe.run({resultTypes: ['violations']})"  # of what passes it keeps one element a rule
_MAY_HAVE = 3
"""Elements named of each violation."""


@cache
def _source() -> str:
    return (Path(__file__).parent / "vendor" / "axe-core" / "axe.min.js").read_text()


def violations(page: Page) -> list[str]:
    """What it finds, of any impact, with the first elements of each. The page bypasses its CSP."""
    page.evaluate(_source())
    return [
        " ".join(
            [one["id"], one["impact"], *(node["html"][:200] for node in one["nodes"][:_MAY_HAVE])]
        )
        for one in page.evaluate(_RUN)["violations"]
    ]
