"""The styles know the states by the names of the enum, and no colour stands alone."""

import re
from collections.abc import Iterator

import pytest

from webapp.domain.states import TERMINAL, State
from webapp.paths import STATIC, TEMPLATES
from webapp.web.pages.feed import RANKS


def _styles() -> Iterator[tuple[str, str]]:
    for file in sorted((STATIC / "css").glob("*.css")):
        yield file.name, file.read_text()


def test_every_state_has_a_look_and_every_look_a_state() -> None:
    named = {
        name for _, text in _styles() for name in re.findall(r'\[data-state="([a-z_]+)"\]', text)
    }
    assert named == {state.value for state in State}


def test_scripts_know_the_states_as_the_desk_does() -> None:
    """Where a live row goes is decided by the same names as for the first page."""

    def named(script: str, start: str) -> list[str]:
        text = (STATIC / "js" / script).read_text()
        return re.findall(r'"([a-z_]+)"', text.partition(start)[2].partition("]")[0])

    assert set(named("order.js", "const TERMINAL = ")) == TERMINAL
    assert named("order.js", "const RANKS = ") == list(RANKS)


def test_colours_stand_in_the_tokens_alone() -> None:
    """Components use meanings; a raw colour would not follow dark mode or high contrast."""
    raw = re.compile(r"\b(oklch|rgba?|hsla?)\(|#(?!feed\b)[0-9a-f]{3,8}\b")
    found = {
        name: match[0]
        for name, text in _styles()
        if name not in ("tokens.css", "contrast.css", "print.css") and (match := raw.search(text))
    }
    assert not found


def test_every_sheet_is_imported_into_a_layer() -> None:
    linked = {"desk.css", "status.css"}
    sheets = "".join(text for name, text in _styles() if name in linked)
    imported = set(re.findall(r'@import url\("([^"]+)"\) layer\(\w+\);', sheets))
    assert imported == {name for name, _ in _styles()} - linked


@pytest.mark.parametrize("file", sorted(TEMPLATES.rglob("*.html")), ids=lambda file: file.name)
def test_no_template_needs_an_inline_style_or_handler(file: object) -> None:
    """The page's policy allows neither."""
    text = file.read_text()  # type: ignore[attr-defined]
    assert not re.search(r"\sstyle=|\son[a-z]+=\"", text)
    assert "|safe" not in text
