"""A filter stands in the address: read strictly, and written back in one form."""

from urllib.parse import parse_qs

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.domain.currencies import EXPONENTS
from webapp.domain.errors import Invalid
from webapp.domain.filters import DUE_AT_MOST, Filter, parse
from webapp.domain.kinds.registry import KINDS
from webapp.domain.states import State

WORDS = st.lists(
    st.text(st.characters(categories=("L", "N", "P", "S")), min_size=1, max_size=20),
    min_size=1,
    max_size=5,
).map(" ".join)


def some_of(names: list[str]) -> st.SearchStrategy[tuple[str, ...]]:
    return st.sets(st.sampled_from(names)).map(
        lambda chosen: tuple(n for n in names if n in chosen)
    )


@st.composite
def filters(draw: st.DrawFn) -> Filter:
    currency = draw(st.none() | st.sampled_from(sorted(EXPONENTS)))
    least = draw(st.none() | st.integers(0, 10**12)) if currency else None
    most = draw(st.none() | st.integers(least or 0, 10**13 - 1)) if currency else None
    return Filter(
        kind=draw(some_of(list(KINDS))),
        state=tuple(State(name) for name in draw(some_of(list(State)))),
        agent=draw(st.none() | WORDS),
        customer=draw(st.none() | WORDS),
        order=draw(st.none() | WORDS),
        flagged=draw(st.booleans()),
        currency=currency,
        min=least,
        max=most,
        due=draw(st.none() | st.integers(1, DUE_AT_MOST)),
        q=draw(st.none() | WORDS),
    )


@given(filters())
def test_an_address_says_the_filter_that_made_it(found: Filter) -> None:
    """What is shared, bookmarked or gone back to shows the same rows."""
    assert parse(parse_qs(found.to_query(), strict_parsing=found.narrows)) == found
    assert found.narrows is bool(found.to_query())


@pytest.mark.parametrize(
    ("query", "minor"),
    [
        ("currency=INR&min=1250", 125_000),
        ("currency=INR&min=1,250.5", 125_050),
        ("currency=INR&min=12,50,000", 125_000_000),
        ("currency=JPY&min=1250", 1250),
        ("currency=KWD&min=0.005", 5),
        ("currency=USD&min=0", 0),
    ],
)
def test_an_amount_is_typed_in_major_units(query: str, minor: int) -> None:
    """CONTRACT, Kinds: amounts are integer minor units; people write rupees, not paise."""
    assert parse(parse_qs(query)).min == minor


@pytest.mark.parametrize(
    ("query", "field"),
    [
        ("kind=refund&kind=nothing", "/kind"),
        ("state=done", "/state"),
        ("flagged=no", "/flagged"),
        ("currency=XXX", "/currency"),
        ("currency=XXX&min=1", "/currency"),
        ("min=5", "/min"),
        ("currency=INR&max=-5", "/max"),
        ("currency=INR&max=1.234", "/max"),
        ("currency=JPY&max=1.2", "/max"),
        ("currency=INR&min=" + "9" * 40, "/min"),
        ("currency=INR&min=٥", "/min"),
        ("currency=INR&min=1e3", "/min"),
        ("currency=INR&min=nan", "/min"),
        ("currency=INR&min=10&max=9", "/max"),
        ("due=0", "/due"),
        ("due=soon", "/due"),
        (f"due={DUE_AT_MOST + 1}", "/due"),
        ("due=60&due=61", "/due"),
        ("agent=a&agent=b", "/agent"),
        ("q=a%00b", "/q"),
        ("q=" + "a" * 201, "/q"),
        ("customer=%7f", "/customer"),
    ],
)
def test_what_cannot_be_meant_is_refused_by_its_name(query: str, field: str) -> None:
    with pytest.raises(Invalid) as refused:
        parse(parse_qs(query))
    assert [error.pointer for error in refused.value.errors] == [field]


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(Invalid) as refused:
        parse(parse_qs("kind=x&due=x&min=1&currency=INR"))
    assert {error.pointer for error in refused.value.errors} == {"/kind", "/due"}


def test_a_form_left_empty_narrows_nothing() -> None:
    """A browser sends every field of a form, the empty ones too."""
    query = "q=&agent=+&customer=&order=&currency=&min=&max=&due=&after=token&id=1"
    found = parse(parse_qs(query, keep_blank_values=True))
    assert not found.narrows
    assert found.to_query() == ""


def test_a_search_has_words() -> None:
    assert parse({"q": ["  torn \t cover "]}).words == ("torn", "cover")
