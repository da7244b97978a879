"""How soon people look, and the window that follows from it."""

import random
from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from webapp.domain.buckets import BEFORE, BOUNDS, bucket, histogram, quantile, upper
from webapp.domain.looking import STEPS, Looked, Verdict, advise, looked
from webapp.domain.times import SECOND

MINUTE = 60 * SECOND


def watched(seconds: list[int], window: int) -> Looked:
    """Actions that somebody would look at after so many seconds, had they no end at `window`."""
    views = Counter(bucket(one * SECOND) for one in seconds if one <= window)
    unseen = sum(one > window for one in seconds)
    return looked(views, {bucket((window + 1) * SECOND): unseen})


@given(st.integers(0, 2**45))
def test_a_bucket_holds_what_its_bounds_say(length: int) -> None:
    place = bucket(length)
    top = upper(place)
    assert top is None or length <= top
    assert place == 0 or length > BOUNDS[place - 1]


def test_a_length_below_nothing_has_a_bucket_of_its_own() -> None:
    assert bucket(-1) == BEFORE
    assert upper(BEFORE) == 0
    assert upper(len(BOUNDS)) is None


def test_a_histogram_is_read_by_its_name() -> None:
    counts = {"left.3": 2, "left.-1": 1, "lefty.3": 9, "executed": 4}
    assert histogram(counts, "left") == {3: 2, -1: 1}


@pytest.mark.parametrize(("share", "place"), [(0.5, 1), (0.51, 2), (1, 2), (0.1, 1)])
def test_a_quantile_is_the_bucket_that_reaches_it(share: float, place: int) -> None:
    assert quantile({1: 2, 2: 2}, share) == place


def test_there_is_no_quantile_of_nothing() -> None:
    assert quantile({}, 0.5) is None


def test_what_everybody_saw_is_a_plain_share() -> None:
    found = looked({bucket(10 * SECOND): 30, bucket(MINUTE): 70}, {})
    assert found.share(10 * SECOND) == pytest.approx(0.3)
    assert found.share(MINUTE) == pytest.approx(1)


def test_what_ended_before_a_look_does_not_flatter_the_curve() -> None:
    """Half wait long enough to be seen: the curve is that of them, not of half of all."""
    views = {bucket(30 * SECOND): 25, bucket(90 * SECOND): 25}
    stopped = {bucket(5 * SECOND): 50}
    assert looked(views, stopped).share(90 * SECOND) == pytest.approx(1)
    assert looked(views, stopped).share(30 * SECOND) == pytest.approx(0.5)


def test_a_longer_window_shows_the_same_curve_and_more_of_it() -> None:
    """The share within two minutes is the same, whether they end after five or after ten."""
    chance = random.Random(7)
    seconds = [round(chance.expovariate(1 / 240)) for _ in range(4_000)]
    short, long = watched(seconds, 300), watched(seconds, 600)
    assert short.share(120 * SECOND) == pytest.approx(long.share(120 * SECOND), abs=0.01)
    assert short.points[-1].within == 300 * SECOND
    assert long.points[-1].within == 600 * SECOND
    in_fact = sum(one <= 300 for one in seconds) / len(seconds)
    assert long.share(300 * SECOND) == pytest.approx(in_fact, abs=0.02)
    assert short.share(900 * SECOND) == short.points[-1].share


def test_too_little_says_how_little() -> None:
    advice = advise(looked({3: 20}, {5: 9}), {}, 300)
    assert advice.verdict is Verdict.TOO_LITTLE
    assert advice.seconds is None
    assert "29 could be measured; from 50 on" in advice.because[0]


@pytest.mark.parametrize(
    ("window", "verdict"),
    [(600, Verdict.SHORTER), (45, Verdict.SAME), (30, Verdict.LONGER), (None, Verdict.START)],
)
def test_the_window_catches_nineteen_of_twenty(window: int | None, verdict: Verdict) -> None:
    found = looked({bucket(10 * SECOND): 900, bucket(40 * SECOND): 60, bucket(MINUTE): 40}, {})
    advice = advise(found, {}, window)
    assert (advice.verdict, advice.seconds) == (verdict, 45)
    assert advice.because == ("95% are on somebody’s screen within 40 s.", "Rounded up to 45 s.")


def test_cancels_that_take_longer_than_a_look_count_too() -> None:
    found = looked({bucket(10 * SECOND): 1_000}, {})
    advice = advise(found, {bucket(100 * SECOND): 40}, 600)
    assert advice.seconds == 120
    assert "95% of 40 cancels, late ones too, took up to 2 min." in advice.because
    assert advise(found, {bucket(100 * SECOND): 19}, 600).seconds == 10  # too few to say anything


def test_a_curve_that_ends_too_soon_asks_for_a_longer_window() -> None:
    seconds = [20] * 70 + [900] * 30
    advice = advise(watched(seconds, 60), {}, 60)
    assert (advice.verdict, advice.seconds) == (Verdict.LONGER, 120)
    assert "as far as it can be measured, 70% are" in advice.because[0]
    assert "2 min would show how long the others need." in advice.because


@pytest.mark.parametrize(
    "found",
    [
        looked({bucket(7_200 * SECOND): 100}, {}),
        watched([20] * 70 + [90_000] * 30, 3_600),
    ],
)
def test_beyond_an_hour_it_is_approval(found: Looked) -> None:
    advice = advise(found, {}, 3_600)
    assert advice.verdict is Verdict.APPROVAL
    assert advice.seconds is None
    assert "approval" in advice.because[-1]


@given(
    st.dictionaries(st.integers(0, len(BOUNDS)), st.integers(0, 400)),
    st.dictionaries(st.integers(0, len(BOUNDS)), st.integers(0, 400)),
    st.dictionaries(st.integers(-1, len(BOUNDS)), st.integers(0, 400)),
    st.sampled_from([None, 0, 60, 300, 604_800]),
)
def test_whatever_was_counted_there_is_an_answer(
    views: dict[int, int], ends: dict[int, int], cancels: dict[int, int], window: int | None
) -> None:
    found = looked(views, ends)
    shares = [point.share for point in found.points]
    assert shares == sorted(shares)
    assert all(-1e-9 <= share <= 1 + 1e-9 for share in shares)
    advice = advise(found, cancels, window)
    assert advice.seconds is None or advice.seconds in STEPS
    assert advice.because
