import math
import re
from dataclasses import replace
from datetime import date
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from presort.data.records import Paper
from presort.desk.session import stop_advice
from presort.desk.session.progress import ReviewContext
from presort.desk.session.stop_advice import SHARES, list_model
from presort.ranker.stopping.forecast import TargetRecall
from tests.metrics.strategies import BRIEF
from tests.ranker.lists import drawn_list, drawn_service, relevance_models_of, services

N_PAPERS = 120
DAY = date(2026, 1, 5)
CHOICES = get_args(TargetRecall)

MODEL = relevance_models_of(drawn_service(5, n_papers=N_PAPERS))["report 0"]
FIRST = relevance_models_of({"new": []})["new"]
SCORES = drawn_list(np.random.default_rng(6), n_papers=N_PAPERS).scores
OF_LIST = list_model(MODEL, SCORES, N_PAPERS)


def labels_at(n_papers=N_PAPERS, **places):
    """Return the labels of a list by place. All other papers are undecided."""
    word_of = {place: label for label, places_of_word in places.items() for place in places_of_word}
    return [word_of.get(place) for place in range(1, n_papers + 1)]


def judge(words, *, relevance_model=MODEL, drawn=(), target_recall="1 in 20"):
    """Return the progress of a list read down to the last decided paper, not counting drawn papers."""
    decided = np.array([label is not None for label in words])
    places = np.arange(1, len(words) + 1)
    read_up_to = places[decided & ~np.isin(places, drawn)].max(initial=0)
    model = list_model(relevance_model, SCORES[: len(words)], len(words))
    return stop_advice.advise(model, words, decided | (places <= read_up_to), target_recall)


# ---- reading progress


def test_reading_continues_at_the_first_unread_paper():
    """As after a new ranking, which moves new papers among those read."""
    is_read = np.arange(1, N_PAPERS + 1) <= 80
    is_read[[6, 55]] = False
    so_far = stop_advice.advise(OF_LIST, labels_at(yes=[1, 9]), is_read, "1 in 20")
    assert (so_far.read_up_to, so_far.n_read, so_far.n_found) == (6, 78, 2)
    is_read[6] = True
    further = stop_advice.advise(OF_LIST, labels_at(yes=[1, 9]), is_read, "1 in 20")
    assert (further.read_up_to, further.n_read) == (55, 79)
    assert so_far.none_left < further.none_left < judge(labels_at(yes=[1, 9], no=[80])).none_left
    assert so_far.left > further.left > judge(labels_at(yes=[1, 9], no=[80])).left


def test_before_reading_many_relevant_papers_are_expected():
    so_far = judge(labels_at())
    assert (so_far.n_read, so_far.read_up_to, so_far.may_stop) == (0, 0, False)
    assert so_far.left == so_far.n_relevant > 3
    assert so_far.none_left < 0.05


def test_before_anything_was_read_the_first_paper_counts_too():
    so_far, one_read = judge(labels_at()), judge(labels_at(no=[1]))
    low, high = so_far.between
    assert low <= so_far.left <= high
    only = stop_advice.advise(list_model(MODEL, SCORES[:1], 1), [None], np.zeros(1, dtype=bool), "1 in 20")
    assert only.none_left == pytest.approx(1 - float(MODEL.calibration.calibrate(np.array(only.left))))
    assert so_far.none_left < one_read.none_left


def test_spot_check_papers_count_as_read_but_not_as_progress():
    drawn = range(35, 95, 6)
    words = labels_at(yes=[1, 2], no=[30, *drawn])
    so_far = judge(words, drawn=drawn)
    assert (so_far.read_up_to, so_far.n_read) == (30, 40)
    assert judge(labels_at(yes=[1, 2], no=[30])).left > so_far.left > judge(words).left


def test_a_relevant_spot_check_paper_raises_the_forecast():
    empty, one_found = (judge(labels_at(**{label: [90]}, no=[60]), drawn=[90]) for label in ("maybe", "yes"))
    assert (one_found.read_up_to, one_found.n_found) == (60, 1)
    assert one_found.left > empty.left
    assert one_found.stop_at >= empty.stop_at


lists_of_words = st.lists(st.sampled_from([None, None, None, "yes", "no", "maybe"]), min_size=1, max_size=60)


@BRIEF
@given(lists_of_words, st.integers(1, 60), st.sampled_from(["no", "maybe"]), st.sampled_from(CHOICES))
def test_the_forecast_falls_while_nothing_is_found(words, further, label, target_recall):
    before = judge(words, target_recall=target_recall)
    read_up_to = min(before.read_up_to + further, len(words))
    after = judge(
        [*words[: read_up_to - 1], words[read_up_to - 1] or label, *words[read_up_to:]], target_recall=target_recall
    )
    assert after.read_up_to == read_up_to
    assert after.left <= before.left + 1e-9
    assert after.none_left >= before.none_left - 1e-9
    assert after.stop_at <= before.stop_at


def test_a_relevant_paper_further_down_raises_the_forecast():
    nothing, something = judge(labels_at(yes=[1, 2], no=[25])), judge(labels_at(yes=[1, 2, 25]))
    assert something.left > nothing.left
    assert something.none_left < nothing.none_left


@BRIEF
@given(lists_of_words, st.sets(st.integers(1, 60)), st.sampled_from(CHOICES))
def test_reading_may_end_at_the_stop_point_and_only_a_read_list_is_certain(words, drawn, target_recall):
    so_far = judge(words, drawn=sorted(drawn), target_recall=target_recall)
    is_all_read = not any(label is None for label in words[so_far.read_up_to :])
    assert (so_far.none_left == 1) == is_all_read
    assert (so_far.left == 0) == is_all_read
    assert so_far.may_stop == (so_far.read_up_to >= so_far.stop_at)
    low, high = so_far.between
    assert 0 <= low <= high <= len(words)


def test_a_higher_target_recall_has_a_later_stop_point_and_fewer_missed_papers():
    so_far = judge(labels_at(yes=[1, 2], no=[5]))
    for choice in CHOICES:
        assert judge(labels_at(yes=[1, 2], no=[5]), target_recall=choice).stops == so_far.stops
        assert judge(labels_at(yes=[1, 2], no=[5]), target_recall=choice).stop_at == so_far.stops[choice].place
    places, left, at_most = zip(*(so_far.stops[choice] for choice in SHARES), strict=True)
    assert places == tuple(sorted(set(places)))
    assert left == tuple(sorted(left, reverse=True))
    assert at_most == tuple(sorted(at_most, reverse=True))
    at = places[1]
    may_stop = [judge(labels_at(yes=[1, 2], no=[at]), target_recall=choice).may_stop for choice in CHOICES]
    assert may_stop == [True, True, False, False]


def test_the_target_all_never_stops_earlier_than_others():
    service = drawn_service(3, n_papers=N_PAPERS, n_reports=4)
    rare = {
        name: [replace(one, is_relevant=one.is_relevant & (np.arange(N_PAPERS) < 1)) for one in lists]
        for name, lists in service.items()
    }
    for relevance_model in relevance_models_of(rare).values():
        if relevance_model.is_ready:
            model = list_model(relevance_model, SCORES, N_PAPERS)
            so_far = stop_advice.advise(model, labels_at(), np.zeros(N_PAPERS, dtype=bool), "none")
            assert so_far.stop_at >= max(so_far.stops[choice].place for choice in SHARES)


@pytest.mark.parametrize("relevance_model", [MODEL, FIRST])
def test_reading_may_end_after_the_whole_list(relevance_model):
    so_far = judge(labels_at(yes=[3], no=[120]), relevance_model=relevance_model)
    assert so_far.none_left == 1
    assert so_far.may_stop


def test_for_a_service_without_lists_the_target_all_requires_the_whole_list():
    so_far = judge(labels_at(yes=[1, 4], no=[20]), relevance_model=FIRST)
    assert so_far.is_known
    assert so_far.stops["1 in 20"].place < so_far.stops["none"].place == N_PAPERS


def test_while_advice_is_being_prepared_there_is_none():
    so_far = judge(labels_at(yes=[1, 4], no=[119])).without_forecast()
    assert not so_far.is_known
    assert not so_far.may_stop
    assert math.isnan(so_far.left)
    assert {stop.place for stop in so_far.stops.values()} == {N_PAPERS}


@given(
    services(),
    st.lists(st.sampled_from(["yes", "no", None]), min_size=1, max_size=200),
    st.sampled_from(CHOICES),
    st.data(),
)
def test_advice_never_contradicts_what_was_read(service, decided, choice, data):
    """For any service: at the stop point reading may end, and no text asks for papers that were already read."""
    relevance_models = relevance_models_of({**service, "new": []})
    relevance_model = relevance_models[data.draw(st.sampled_from(sorted(relevance_models)))]
    scores = np.linspace(5, -5, len(decided))
    is_read = np.arange(1, len(decided) + 1) <= data.draw(st.integers(0, len(decided)))
    is_read |= np.array([label is not None for label in decided])
    so_far = stop_advice.advise(list_model(relevance_model, scores, len(decided)), decided, is_read, choice)
    assert so_far.may_stop == (so_far.read_up_to >= so_far.stop_at)
    assert so_far.n_found == decided.count("yes")
    assert so_far.left >= 0
    texts = [stop_advice.advice_text(so_far), *(says for _, says in stop_advice.stops_text(so_far))]
    for asked in re.findall(r"stop near ([\d,]+)", " ".join(texts)):
        assert so_far.read_up_to < int(asked.replace(",", "")) < so_far.n_papers
    assert ("read to the end" in texts[0]) == (not so_far.may_stop and so_far.stop_at == so_far.n_papers)
    assert (stop_advice.verdict(so_far) == stop_advice.MAY_STOP) == so_far.may_stop
    if so_far.may_stop:
        assert not stop_advice.advice_text(so_far).startswith(("about", "perhaps")) or "missed" in texts[0]


def test_papers_that_joined_after_the_ranking_are_as_likely_as_its_last():
    words = labels_at(N_PAPERS + 5, yes=[1, 2], no=[30])
    is_read = np.arange(1, N_PAPERS + 6) <= 30
    model = list_model(MODEL, SCORES, len(words))
    so_far = stop_advice.advise(model, words, is_read, "1 in 20")
    assert so_far.n_papers == N_PAPERS + 5
    assert so_far.left == pytest.approx(judge(labels_at(yes=[1, 2], no=[30])).left, rel=0.02)
    but_the_latest = np.arange(N_PAPERS + 5) < N_PAPERS
    assert stop_advice.advise(model, words, but_the_latest, "none").none_left < 1


# ---- the context


def test_labels_are_in_the_shown_order():
    papers = [Paper(f"p{n}", f"About {n}") for n in (1, 2, 3)]
    context = ReviewContext("lab", DAY, papers, None, np.array([3, 1, 2], dtype=np.int32), None)
    assert context.labels_in_order({"p1": "yes", "p3": "no"}) == ["no", "yes", None]
