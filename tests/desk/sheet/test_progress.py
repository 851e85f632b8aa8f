import math
from datetime import UTC, date, datetime, timedelta

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from data.records import Draw, Paper, Ranking, ScoredRanking, StoredRanking
from desk.sheet import progress
from desk.sheet.progress import LEVELS, Sheet
from ranker.light import FinishedIssue, fit_lights
from tests.metrics.strategies import FIXED

N_PAPERS = 120
DAY = date(2026, 1, 5)


def finished(*lasts, n_papers=N_PAPERS):
    return [
        FinishedIssue(np.array([1, 2, last], dtype=np.int32), n_papers, DAY - timedelta(weeks=99 - week))
        for week, last in enumerate(lasts)
    ]


LASTS = (20, 44, 31, 60, 25, 38, 52, 29, 41, 33)
SERVICE = {str(report): finished(*(last + report for last in LASTS)) for report in range(9)}
LIGHT = fit_lights(SERVICE)["0"]
YOUNG = fit_lights({**SERVICE, "new": finished(20, 30)})["new"]


def said(n_papers=N_PAPERS, **places):
    """Return the words on a list, by place; all other papers are undecided."""
    word_of = {place: word for word, places_of_word in places.items() for place in places_of_word}
    return [word_of.get(place) for place in range(1, n_papers + 1)]


def judge(words, *, light=LIGHT, drawn=(), level=95):
    """Judge a list that was read down to the last paper decided but for those drawn."""
    decided = np.array([word is not None for word in words])
    places = np.arange(1, len(words) + 1)
    read_to = places[decided & ~np.isin(places, drawn)].max(initial=0)
    return progress.judge(light, words, decided | (places <= read_to), level)


def scored(
    report="lab", week=0, *, ranker="presort-1", replay=None, places=(1, 9), is_trained=True, number=1, n_papers=40
):
    return ScoredRanking(
        ranking_id=number,
        report=report,
        issue=DAY + timedelta(weeks=week),
        ranker=ranker,
        replay=replay,
        was_shown=False,
        was_in_time=True,
        is_trained=is_trained,
        n_papers=n_papers,
        places=np.array(places, dtype=np.int32),
    )


# ---- what the light learns from


def learned(*rankings, before=DAY + timedelta(weeks=9)):
    found = progress.finished_issues(rankings, "presort-1", before)
    return {report: [issue.places.tolist() for issue in issues] for report, issues in found.items()}


def test_what_was_ranked_for_the_editor_counts_before_any_replay():
    live, replayed = scored(places=[3], number=4), scored(places=[5], replay=2, number=9)
    assert learned(live, replayed) == learned(replayed, live) == {"lab": [[3]]}
    assert learned(replayed) == {"lab": [[5]]}


def test_of_several_rankings_of_an_issue_the_newest_counts():
    assert learned(scored(places=[3]), scored(places=[5])) == {"lab": [[5]]}
    assert learned(scored(places=[3], replay=1), scored(places=[5], replay=2)) == {"lab": [[5]]}


def test_the_light_learns_from_earlier_issues_of_the_same_ranker_that_were_sorted():
    rankings = [
        scored(week=1, places=[1]),
        scored(week=0, places=[2]),
        scored(week=4, places=[3]),
        scored(week=5, places=[4]),
        scored(week=2, places=[5], ranker="arxiv-sanity"),
        scored(week=3, places=[6], is_trained=False),
        scored("mac", week=2, places=[7]),
    ]
    assert learned(*rankings, before=DAY + timedelta(weeks=4)) == {"lab": [[2], [1]], "mac": [[7]]}


# ---- how far the editor has come


def test_reading_goes_on_at_the_first_paper_that_was_not_read():
    """As after another sorting, which puts new papers among those read."""
    is_read = np.arange(1, N_PAPERS + 1) <= 80
    is_read[[6, 55]] = False
    so_far = progress.judge(LIGHT, said(yes=[1, 9]), is_read, 95)
    assert (so_far.read_to, so_far.n_read, so_far.chance) == (6, 78, 0)  # what was found stands further down
    is_read[6] = True
    further = progress.judge(LIGHT, said(yes=[1, 9]), is_read, 95)
    assert (further.read_to, further.n_read) == (55, 79)
    assert 0 < further.chance < judge(said(yes=[1, 9], no=[80])).chance


def test_before_anything_was_read_nothing_is():
    so_far = judge(said())
    assert (so_far.n_read, so_far.read_to, so_far.chance) == (0, 0, 0)


def test_papers_drawn_from_the_rest_are_read_but_not_read_to():
    drawn = range(35, 95, 6)
    words = said(yes=[1, 2], no=[30, *drawn])
    so_far = judge(words, drawn=drawn)
    assert (so_far.read_to, so_far.n_read) == (30, 40)
    assert judge(said(yes=[1, 2], no=[30])).chance < so_far.chance < judge(words).chance


def test_a_relevant_paper_among_those_drawn_says_read_on():
    so_far = judge(said(yes=[1, 2, 90], no=[60]), drawn=[90])
    assert (so_far.read_to, so_far.chance, so_far.is_red) == (60, 0, False)
    assert so_far.red_at >= 90


lists_of_words = st.lists(st.sampled_from([None, None, None, "yes", "no", "maybe"]), min_size=1, max_size=60)


@FIXED
@given(lists_of_words, st.integers(1, 60), st.sampled_from(["no", "maybe"]), st.sampled_from(LEVELS))
def test_reading_on_never_lowers_the_chance_unless_something_is_found(words, further, word, level):
    before = judge(words, level=level)
    read_to = min(before.read_to + further, len(words))
    after = judge([*words[: read_to - 1], words[read_to - 1] or word, *words[read_to:]], level=level)
    assert after.read_to == read_to
    assert after.chance >= before.chance
    assert after.red_at <= before.red_at


def test_a_paper_found_further_down_lowers_the_chance():
    read = judge(said(yes=[1, 2], no=[25]))
    assert judge(said(yes=[1, 2, 25])).chance < read.chance


@FIXED
@given(lists_of_words, st.sets(st.integers(1, 60)), st.sampled_from(LEVELS))
def test_the_light_is_red_from_where_it_says_and_sure_only_of_what_was_read(words, drawn, level):
    so_far = judge(words, drawn=sorted(drawn), level=level)
    n_unread = sum(word is None for word in words[so_far.read_to :])
    assert (so_far.chance == 1) == (n_unread == 0)
    assert so_far.is_red == (so_far.read_to >= so_far.red_at) or n_unread == 0


def test_reading_the_last_paper_out_of_turn_makes_nothing_certain():
    """The last doubt of the light stands there."""
    so_far = judge(said(no=[110, 120]), drawn=[120])
    assert 0.9 < so_far.chance < 1


def test_fewer_are_left_as_reading_goes_on_and_more_where_more_was_found():
    left = [judge(said(yes=[1, 2], no=[to])).left for to in (5, 20, 40, 119)]
    assert left == sorted(left, reverse=True)
    assert 0 <= left[-1] < 0.5 < left[0] < 3
    assert judge(said(yes=[1, 2, 3, 4], no=[20])).left > left[1]
    assert judge(said(yes=[1], no=[120])).left == 0
    assert math.isnan(judge(said(yes=[1]), light=YOUNG).left)


def test_a_list_read_to_its_end_is_certain():
    for light in (LIGHT, YOUNG):
        so_far = judge(said(yes=[3], no=[120]), light=light)
        assert so_far.chance == 1
        assert so_far.is_red


def test_a_young_report_stays_green():
    so_far = judge(said(yes=[1, 4], no=[119]), light=YOUNG)
    assert math.isnan(so_far.chance)
    assert not so_far.is_red
    assert so_far.red_at == N_PAPERS


def test_a_higher_level_is_reached_later():
    so_far = judge(said(yes=[1, 2], no=[5]))
    assert so_far.stops == {level: judge(said(yes=[1, 2], no=[5]), level=level).red_at for level in LEVELS}
    reds = [so_far.stops[level] for level in (80, 90, 95)]
    assert reds == sorted(set(reds))
    at = reds[1]
    assert [judge(said(yes=[1, 2], no=[at]), level=level).is_red for level in LEVELS] == [True, True, False, False]


# ---- papers drawn from the rest


def ranked(number, n_papers=N_PAPERS):
    order = np.random.default_rng(number).permutation(n_papers).astype(np.int32) + 1
    ranking = Ranking("lab", DAY, "presort-1", DAY, 0, 9, order, np.linspace(2, -1, n_papers))
    return StoredRanking(number, datetime(2026, 1, 5, tzinfo=UTC), ranking)


def test_a_draw_is_of_the_rest_and_the_same_again():
    shown = ranked(7)
    order = shown.ranking.positions
    read = np.array([*order[:30], *order[70:75]])
    drawn = progress.draw(shown, order, read, [])
    assert drawn == progress.draw(shown, order, read, [])
    assert (drawn.ranking, drawn.n_read, drawn.n_rest) == (7, 35, N_PAPERS - 35)
    places = [order.tolist().index(position) + 1 for position in drawn.positions]
    assert len(places) == 10
    assert places == sorted(places)
    assert not set(drawn.positions) & set(read.tolist())
    assert drawn.positions != progress.draw(ranked(8), order, read, []).positions


def test_no_paper_is_drawn_twice():
    shown, draws = ranked(7), []
    order = shown.ranking.positions
    for read_to in (20, 60, 100, 105, 119):
        draws.append(progress.draw(shown, order, order[:read_to], draws))
    positions = progress.drawn_positions(draws)
    assert len(positions) == len(set(positions))
    below = set(order[100:].tolist())
    assert draws[2].n_rest == 20 - len(below & set(progress.drawn_positions(draws[:2])))
    assert len(draws[2].positions) == min(10, draws[2].n_rest)


def test_after_another_sorting_none_is_drawn_that_was_read_or_drawn_before():
    old, new = ranked(7), ranked(8)
    read = old.ranking.positions[:60]
    first = progress.draw(old, old.ranking.positions, read, [])
    second = progress.draw(new, new.ranking.positions, read, [first])
    assert not set(second.positions) & {*read.tolist(), *first.positions}
    assert second.n_rest == N_PAPERS - 60 - 10


def test_a_draw_after_another_is_as_random():
    """Each paper of the rest is drawn as often, also beside what was drawn before."""
    counts = np.zeros(41)
    order = np.arange(1, 41, dtype=np.int32)
    for number in range(1500):
        first = Draw(number, 5, 35, (7, 9, 30))
        counts[list(progress.draw(ranked(number, 40), order, order[:10], [first]).positions)] += 1
    expected = 1500 * 10 / 29  # of the 30 below 10, one was drawn before
    rest = [place for place in range(11, 41) if place != 30]
    assert counts.sum() == counts[rest].sum()
    assert (abs(counts[rest] - expected) < 5 * math.sqrt(expected)).all()


def test_papers_are_drawn_once_after_the_same_reading():
    shown = ranked(7)
    order = shown.ranking.positions
    first = progress.draw(shown, order, order[:30], [])
    assert progress.may_draw(order, order[:0], [])
    assert not progress.may_draw(order, order[:30], [first])
    assert not progress.may_draw(order, np.array([*order[:30], *first.positions]), [first])  # they were decided
    assert not progress.may_draw(order, order[:12], [first])
    assert progress.may_draw(order, np.setdiff1d(order, order[50:]), [first])
    assert not progress.may_draw(order, order, [])
    last = Draw(7, 100, 20, tuple(order[110:].tolist()))
    assert not progress.may_draw(order, order[:110], [last])


def test_what_the_papers_drawn_tell():
    assert progress.what_remains(Draw(7, 84, 500, tuple(range(1, 51))), 1) == (9, 42)


# ---- the sheet


def test_words_come_in_the_order_shown():
    papers = [Paper(f"p{n}", f"About {n}") for n in (1, 2, 3)]
    sheet = Sheet("lab", DAY, papers, None, np.array([3, 1, 2], dtype=np.int32), None)
    assert sheet.in_order({"p1": "yes", "p3": "no"}) == ["no", "yes", None]
