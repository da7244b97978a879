"""Texts of others: nothing in them may steer or hide."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.web.visible import plain, shortened, visible


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("a<b>&\"'", "a&lt;b&gt;&amp;&#34;&#39;"),
        ("a\u202eb", "U+202E"),
        ("zero\u200bwidth", "U+200B"),
        ("\u2066x\u2069", "U+2066"),
        ("soft\u00adhyphen", "U+00AD"),
        ("tag\U000e0041", "U+E0041"),
        ("bell\x07", "U+0007"),
        ("latin\u200djoiner", "U+200D"),
    ],
)
def test_what_steers_or_hides_is_shown(text: str, shown: str) -> None:
    assert shown in visible(text)
    hidden = set(text) & set("\u202e\u200b\u2066\u2069\u00ad\U000e0041\x07\u200d")
    assert not hidden & set(visible(text))
    assert not hidden & set(plain(text))


@pytest.mark.parametrize("text", ["क्‍ष", "👩‍💻", "می‌خواهم", "Élodie", "line\nbreak\ttab", "שלום"])
def test_scripts_that_need_their_joiners_keep_them(text: str) -> None:
    assert visible(text) == text


@given(st.text())
def test_no_text_is_markup(text: str) -> None:
    html = str(visible(text))
    bare = html.replace('<span class="ctl" title="', "").replace("</span>", "")
    assert "<" not in bare


@given(st.text(), st.integers(2, 50))
def test_shortened_is_never_longer_than_asked(text: str, most: int) -> None:
    assert len(shortened(text, most)) <= most
