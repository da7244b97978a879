"""The token of a place in the feed: what was given out is taken back, whatever its length."""

from itertools import product

import pytest

from webapp.domain.errors import Invalid
from webapp.domain.ids import new_id
from webapp.store.feed_sources import ASKING, CLOCK, ENDED, UNSETTLED
from webapp.web.pages.feed_place import place_of, token_of

AT = 1_796_000_000_000_000
SOME = (None, AT)


@pytest.mark.parametrize("state", [*sorted(ASKING.states), None])
def test_every_place_is_known_again(state: str | None) -> None:
    """A third of them was refused: by its length, a token was padded with more than it needs."""
    for unsettled, clock, ended in product(SOME, SOME, (AT,)):
        keys = {ASKING: state, UNSETTLED: unsettled, CLOCK: clock, ENDED: ended}
        place = {source.name: (by, new_id(AT)) for source, by in keys.items() if by is not None}
        assert place_of(token_of(place)) == place


@pytest.mark.parametrize("number", range(1, 12))
def test_of_any_length(number: int) -> None:
    place = {CLOCK.name: (10**number, new_id(AT))}
    token = token_of(place)
    assert place_of(token) == place
    with pytest.raises(Invalid):
        place_of(token[:-1])
