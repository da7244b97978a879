"""Text: what can be kept in every database, one line, one address, no hidden header."""

from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from webapp.domain.text import Address, Header, Line, Note, Strict, unstorable

JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | st.text(st.characters(exclude_characters="\x00", exclude_categories=["Cs"])),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.just("k"), inner, max_size=3),
    max_leaves=8,
)  # fmt: skip


class Form(Strict):
    """One field of each sort."""

    address: Address = "ana@example.com"
    line: Line = "one"
    header: Header = "one"
    note: Note = ""


def refused(**field: str) -> bool:
    try:
        Form.model_validate(field)
    except ValidationError:
        return True
    return False


@pytest.mark.parametrize(
    "address",
    ["ana@example.com", "a.b+c@mail.example.co.in", "o'neil@example.com", "ana@bücher.example"],
)
def test_one_plain_address_is_taken(address: str) -> None:
    """CONTRACT, `reply`: exactly one address."""
    assert not refused(address=address)


@pytest.mark.parametrize(
    "address",
    [
        "",
        "ana",
        "ana@",
        "@example.com",
        "ana@example.com,bob@example.com",
        "ana@example.com;bob@example.com",
        "ana@example.com bob@example.com",
        "Ana <ana@example.com>",
        '"ana, bob"@example.com',
        "ana@example.com\nBcc: bob@example.com",
        "ana@example.com\r",
        "ana@example.com ",
        "ana@exam\tple.com",
        "ana@example..com",
        "ana@-example.com",
        "(x)ana@example.com",
        "ana@example.com\u2028",
        "ana\u200b@example.com",
        "=?utf-8?q?ana?=@example.com",
        "a" * 65 + "@example.com",
        "ana@" + "a.example." * 30 + "com",
    ],
)
def test_anything_but_one_plain_address_is_refused(address: str) -> None:
    """DESIGN, Mail: no list, display name, control character or encoded word goes out."""
    assert refused(address=address)


@pytest.mark.parametrize("bad", ["a\nb", "a\rb", "a\tb", "\x00", "\x7f", "a\x85b", "a\u2029b", ""])
def test_a_line_is_one_line(bad: str) -> None:
    """DESIGN, Mail: what may become a header has no control character."""
    assert refused(line=bad)
    assert refused(header=bad)


@pytest.mark.parametrize("word", ["=?utf-8?q?hi=0ABcc=3A_x=40y.z?=", "hi =?utf-8?b?aGk=?= there"])
def test_a_header_has_no_encoded_word(word: str) -> None:
    """DESIGN, Mail: Python turns an encoded word that hides a line break into a real Bcc."""
    assert refused(header=word)
    assert not refused(line=word)


def test_lengths_are_limited() -> None:
    """CONTRACT: clear limits rather than a database's error."""
    assert not refused(line="x" * 200, note="x" * 5_000)
    assert refused(line="x" * 201)
    assert refused(note="x" * 5_001)


@pytest.mark.parametrize(
    ("value", "pointers"),
    [
        ("a\x00b", [""]),
        ("\ud800", [""]),
        ({"a": {"b": ["x", "y\udfff"]}}, ["/a/b/1"]),
        ({"a/b": {"c~d": "\x00"}}, ["/a~1b/c~0d"]),
        ({"a": {"k\x00": 1}}, ["/a"]),
        ([{"a": "\x00"}, {"b": "\x00"}], ["/0/a", "/1/b"]),
        ({"a": float("nan")}, ["/a"]),
        ([1.5, float("-inf")], ["/1"]),
    ],
)
def test_what_no_database_can_keep_is_found_wherever_it_is(value: Any, pointers: list[str]) -> None:
    """Issue 2, bad input: NUL and lone surrogates would be a 500 on PostgreSQL; NaN is no JSON."""
    assert list(unstorable(value)) == pointers


def test_nesting_without_end_is_refused_before_it_exhausts_the_stack() -> None:
    """Issue 2, bad input: never a 500."""
    value: Any = "x"
    for _ in range(900):
        value = [value]
    assert len(list(unstorable(value))) == 1


@given(value=JSON)
def test_everything_else_can_be_kept(value: Any) -> None:
    """No false alarm: emoji, right-to-left marks and combining characters are text."""
    assert list(unstorable(value)) == []
