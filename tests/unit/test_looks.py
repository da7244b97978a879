"""The styles know the states by the names of the enum, and no colour stands alone."""

import re
from collections.abc import Iterator

import pytest

from webapp.domain.states import State
from webapp.paths import STATIC, TEMPLATES


def _styles() -> Iterator[tuple[str, str]]:
    for file in sorted((STATIC / "css").glob("*.css")):
        yield file.name, file.read_text()


def test_every_state_has_a_look_and_every_look_a_state() -> None:
    named = {
        name for _, text in _styles() for name in re.findall(r'\[data-state="([a-z_]+)"\]', text)
    }
    assert named == {state.value for state in State}


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
