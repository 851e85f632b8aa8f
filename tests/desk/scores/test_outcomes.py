"""What is said of an order and of how a report issue went out, word for word."""

from dataclasses import replace
from datetime import UTC, date, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import Publication, Reopening, ReportIssue
from presort.desk.scores.outcomes import judgement, order_says, published_says, reopened_says, surprises
from presort.metrics import Outcome
from tests.metrics.strategies import FIXED

NO_ORDER = "so there is no order to judge."


def says(places, n, *, read_up_to=0, minutes=0.0, earlier=(), titles=None):
    names = titles or [f"Title {place}" for place in range(1, n + 1)]
    return order_says(Outcome(places, n), names, read_up_to=read_up_to, minutes=minutes, earlier=earlier)


@pytest.mark.parametrize(
    ("places", "n", "message"),
    [
        pytest.param([], 612, f"Nothing in these 612 papers was relevant, {NO_ORDER}", id="nothing"),
        pytest.param([], 1, f"Nothing in this one paper was relevant, {NO_ORDER}", id="nothing-in-one"),
        pytest.param([1, 2, 3], 3, f"Everything in these 3 papers was relevant, {NO_ORDER}", id="everything"),
        pytest.param([3], 612, "Good order. Your only paper stood at 3 of 612.", id="one"),
        pytest.param([500], 1200, "Fair order. Your only paper stood at 500 of 1,200.", id="one-in-the-middle"),
        pytest.param([2], 5, "Your only paper stood at 2 of 5.", id="too-few-papers-to-judge"),
        pytest.param([3, 4], 612, "Good order. Your last paper stood at 4 of 612.", id="two"),
        pytest.param(
            [3, 60],
            612,
            "Good order. Your last paper stood at 60 of 612. One of two was in the first 3. "
            "One surprise: “Title 60” at 60.",
            id="two-one-far-away",
        ),
        pytest.param(
            [1, 2, 3, 4, 5, 6],
            612,
            "Good order. Your last paper stood at 6 of 612: no order could be better.",
            id="best-possible",
        ),
        pytest.param(
            [1, 2, 3, 4, 5, 6, 7, 8, 9, 20, 40, 600],
            612,
            "Poor order. Your last paper stood at 600 of 612. Ten of twelve were in the first 20. "
            "Two surprises: “Title 40” at 40; “Title 600” at 600.",
            id="two-surprises",
        ),
        pytest.param(
            [*range(1, 21), 101, 200, 300, 400],
            2000,
            "Good order. Your last paper stood at 400 of 2,000. 20 of 24 were in the first 20. "
            "Four surprises, the deepest: “Title 200” at 200; “Title 300” at 300; “Title 400” at 400.",
            id="more-surprises-than-are-named",
        ),
    ],
)
def test_what_is_said_of_an_order(places, n, message):
    assert says(places, n) == message


@pytest.mark.parametrize(
    ("read_up_to", "minutes", "message"),
    [
        pytest.param(84, 6.2, "You read 84 (14 %) in about six minutes.", id="both"),
        pytest.param(84, 0.0, "You read 84 (14 %).", id="one-decision"),
        pytest.param(2, 0.3, "You read 2 (1 %) in under a minute.", id="next-to-nothing"),
        pytest.param(611, 61, "You read 611 (99 %) in about 61 minutes.", id="all-but-one"),
        pytest.param(612, 1.2, "You read all 612 in about one minute.", id="all"),
        pytest.param(0, 7.0, "It took about seven minutes.", id="nobody-knows-how-far"),
    ],
)
def test_what_is_said_of_the_reading(read_up_to, minutes, message):
    sentence = "Good order. Your only paper stood at 2 of 612. "
    assert says([2], 612, read_up_to=read_up_to, minutes=minutes) == sentence + message
    nothing = says([], 612, read_up_to=read_up_to, minutes=minutes)
    assert nothing == f"Nothing in these 612 papers was relevant, {NO_ORDER} {message}"


EARLIER = [Outcome([2, last], 1000) for last in (200, 300, 400, 500, 600)]


@pytest.mark.parametrize(
    ("last", "earlier", "judged"),
    [
        pytest.param(250, [], "good", id="alone-first-quarter"),
        pytest.param(251, [], "fair", id="alone-second-quarter"),
        pytest.param(501, [], "poor", id="alone-second-half"),
        pytest.param(400, EARLIER, "good", id="as-the-middle"),
        pytest.param(401, EARLIER, "fair", id="below-the-middle"),
        pytest.param(560, EARLIER, "fair", id="as-most"),
        pytest.param(561, EARLIER, "poor", id="worse-than-most"),
        pytest.param(400, EARLIER[1:], "fair", id="too-few-earlier"),
        pytest.param(400, [*EARLIER[1:], Outcome([], 1000)], "fair", id="one-of-them-tells-nothing"),
        pytest.param(100, 5 * [Outcome([1], 1000)], "good", id="beside-perfect-ones-still-good"),
        pytest.param(250, 5 * [Outcome([1], 1000)], "fair", id="beside-perfect-ones-still-fair"),
        pytest.param(251, 5 * [Outcome([1], 1000)], "poor", id="beside-perfect-ones"),
    ],
)
def test_an_order_is_judged_by_the_earlier_issues_of_its_report(last, earlier, judged):
    assert judgement(Outcome([2, last], 1000), earlier) == judged


def test_the_best_order_is_good_however_much_was_relevant():
    assert judgement(Outcome(range(1, 900), 1000), EARLIER) == "good"


@FIXED
@given(st.integers(1, 700).flatmap(lambda n: st.tuples(st.just(n), st.sets(st.integers(1, n), max_size=60))))
def test_surprises_are_few_deep_and_never_the_first(example):
    n, places = example
    outcome = Outcome(sorted(places), n)
    found = surprises(outcome)
    assert len(found) <= outcome.r - max(1, int(0.8 * outcome.r)) if outcome.r else not found
    assert found == sorted(places)[len(places) - len(found) :]
    assert all(place > 0.05 * n for place in found)
    sentence = says(sorted(places), n, read_up_to=n, minutes=3)
    assert sentence.endswith(".")
    assert "nan" not in sentence


def test_a_title_is_cut_and_stays_as_it_is():
    long, hostile = "wages " * 500, "<script>alert(1)</script> $x$"
    sentence = says([1, 30], 32, titles=["a"] * 29 + [hostile] + ["b"] * 2)
    assert f"“{hostile}” at 30" in sentence
    sentence = says([1, 30], 32, titles=["a"] * 29 + [long] + ["b"] * 2)
    assert len(sentence) < 250
    assert "wages…” at 30" in sentence


def test_what_is_said_of_a_report_issue_that_was_issued_twice():
    first = ReportIssue("lab", date(2026, 11, 16), (3, 1), "ada", 7)
    reopened = Reopening("ben", datetime(2026, 11, 17, 9, 5, tzinfo=UTC), "one was missing")
    at = datetime(2026, 11, 16, 8, 0, tzinfo=UTC)
    assert published_says(Publication(first, at), 2, is_mailed=False) == (
        "Published here, not mailed: lab 2026-11-16 with two papers, on 2026-11-16 at 08:00 UTC by ada."
    )
    assert published_says(Publication(first, at), 0, is_mailed=True).startswith(
        "Published and mailed: lab 2026-11-16 with no papers, on"
    )
    from_file = Publication(replace(first, source="file"), at)
    assert published_says(from_file, 2, is_mailed=False) == (
        "Published before it came here: lab 2026-11-16 with two papers, imported on 2026-11-16 at 08:00 UTC by ada."
    )
    assert reopened_says(Publication(first, at, reopened)) == (
        "Went out before with two papers on 2026-11-16 at 08:00 UTC by ada, "
        "reopened on 2026-11-17 at 09:05 UTC by ben: one was missing"
    )
    assert reopened_says(Publication(first, at)) == ""
