from dataclasses import replace
from datetime import UTC, date, datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import event
from sqlalchemy.exc import IntegrityError

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.errors import RefusedError
from presort.data.learning import outcomes, rankings
from presort.data.learning.rankings import RankingKey, TrainingWatermark
from presort.data.records import Condition, Replay, Report
from presort.data.store import Store
from tests.data.workspaces import (
    FIRST,
    SECOND,
    THIRD,
    contents,
    kill_after,
    make_issue,
    make_ranking,
    say,
    send_out,
    take_in,
)


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues of four papers, and two reports without decisions."""
    take_in(store, make_issue(4), make_issue(4, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def places_of(order, relevant):
    return np.array([place for place, position in enumerate(order.tolist(), 1) if position in relevant], dtype=np.int32)


def issue_with(store: Store, *papers: str, report: str = "lab", issue: date = FIRST, shown: int | None = None) -> None:
    decisions.decide(store, [say(report, paper, "yes", issue) for paper in papers])
    send_out(store, report, issue, shown=shown)


def scored(store: Store) -> dict[str, list[int]]:
    return {found.ranker: found.places.tolist() for found in outcomes.scored_rankings(store)}


def test_nothing_is_ranked_yet(begun):
    assert rankings.newest_rankings(begun, "lab", FIRST) == {}
    assert rankings.finished_rankings(begun, "krichel-2007", None) == set()
    assert rankings.replays(begun) == []
    assert outcomes.score_published_issues(begun, places_of) == 0
    assert outcomes.scored_rankings(begun) == []
    assert outcomes.scored_rankings(begun, "lab") == []
    rankings.add_rankings(begun, [])


@pytest.mark.each_on_both
@pytest.mark.parametrize(
    "scores",
    [
        pytest.param([], id="in-list-order"),
        pytest.param([np.inf, 1e308, 0.1 + 0.2, 5e-324, 0.0, -0.0, -1.5, -np.inf], id="all-kinds-of-numbers"),
        pytest.param(np.random.default_rng(1).normal(size=2_000), id="a-long-list"),
    ],
)
def test_arrays_are_read_back_bit_for_bit(begun, scores):
    take_in(begun, make_issue(2_000))
    order = np.random.default_rng(2).permutation(2_000).astype(np.int32) + 1
    rankings.add_rankings(begun, [replace(make_ranking(), positions=order, scores=np.array(scores))])
    found = rankings.newest_rankings(begun, "lab", FIRST)["krichel-2007"].ranking
    assert (found.positions.dtype, found.scores.dtype) == (np.int32, np.float64)
    assert found.positions.tobytes() == order.tobytes()
    assert found.scores.tobytes() == np.array(scores).tobytes()


def test_a_ranking_is_read_back_with_its_time_and_number(begun):
    ranking = make_ranking(
        order=[3, 1, 4, 2], scores=[2.5, 1.0, -0.5, -1e-300], decisions_up_to=7, hints_up_to=9, n_past=12
    )
    rankings.add_rankings(begun, [make_ranking(), replace(ranking, words=("wages", "value-at-risk"))])
    stored = rankings.newest_rankings(begun, "lab", FIRST)["krichel-2007"]
    assert stored.id == 2
    assert stored.made_at.tzinfo == UTC
    assert abs((datetime.now(UTC) - stored.made_at).total_seconds()) < 600
    plain = {name: value for name, value in vars(stored.ranking).items() if name not in ("positions", "scores")}
    assert plain == {
        "report": "lab",
        "issue": FIRST,
        "ranker": "krichel-2007",
        "trained_before": FIRST,
        "decisions_up_to": 7,
        "n_relevant": 3,
        "hints_up_to": 9,
        "n_past": 12,
        "replay": None,
        "words": ("wages", "value-at-risk"),
    }
    assert stored.ranking.positions.tolist() == [3, 1, 4, 2]
    assert stored.ranking.scores.tolist() == [2.5, 1.0, -0.5, -1e-300]


def test_a_ranking_without_words_is_read_back_without(begun):
    rankings.add_rankings(begun, [make_ranking()])
    assert rankings.ranking(begun, 1).ranking.words == ()


def test_newest_rankings_are_by_ranker_and_exclude_replays(begun):
    number = rankings.find_replay(begun, FIRST, SECOND, 1)
    rankings.add_rankings(
        begun,
        [
            make_ranking(order=[2, 1, 3, 4]),
            make_ranking(order=[3, 1, 2, 4]),
            make_ranking(order=[4, 3, 2, 1], ranker="arxiv-sanity"),
            make_ranking(order=[1, 2, 4, 3], replay=number),
            make_ranking("his"),
            make_ranking(issue=SECOND),
        ],
    )
    newest = rankings.newest_rankings(begun, "lab", FIRST)
    assert {ranker: found.ranking.positions.tolist() for ranker, found in newest.items()} == {
        "krichel-2007": [3, 1, 2, 4],
        "arxiv-sanity": [4, 3, 2, 1],
    }


@pytest.mark.parametrize(
    ("wrong", "error"),
    [
        pytest.param(make_ranking("no"), RefusedError, id="report"),
        pytest.param(make_ranking(issue=THIRD), RefusedError, id="issue"),
        pytest.param(make_ranking(replay=7), IntegrityError, id="replay"),
    ],
)
def test_all_rankings_or_none(begun, wrong, error):
    before = contents(begun)
    with pytest.raises(error):
        rankings.add_rankings(begun, [make_ranking(), wrong])
    assert contents(begun) == before


@pytest.mark.parametrize(
    ("report", "issue"), [pytest.param("no", FIRST, id="report"), pytest.param("lab", THIRD, id="issue")]
)
def test_unknown_reports_and_issues_are_refused(begun, report, issue):
    with pytest.raises(RefusedError, match="There is no"):
        rankings.newest_rankings(begun, report, issue)


def test_scores_of_an_unknown_report_are_refused(begun):
    with pytest.raises(RefusedError, match="There is no report 'no'"):
        outcomes.scored_rankings(begun, "no")


def test_issues_ranked_by_a_ranker(begun):
    number = rankings.find_replay(begun, FIRST, SECOND, 1)
    rankings.add_rankings(
        begun,
        [
            make_ranking(decisions_up_to=5),
            make_ranking(decisions_up_to=5),
            make_ranking(decisions_up_to=5, hints_up_to=3),
            make_ranking("his", SECOND),
            make_ranking(order=[2, 1], replay=number),
            make_ranking(ranker="arxiv-sanity"),
        ],
    )
    assert rankings.finished_rankings(begun, "krichel-2007", None) == {
        RankingKey("lab", FIRST, FIRST, 4, TrainingWatermark(5, 0, None)),
        RankingKey("lab", FIRST, FIRST, 4, TrainingWatermark(5, 3, None)),
        RankingKey("his", SECOND, SECOND, 4, TrainingWatermark(0, 0, None)),
    }
    assert rankings.finished_rankings(begun, "krichel-2007", number) == {
        RankingKey("lab", FIRST, FIRST, 2, TrainingWatermark(0, 0, None))
    }
    assert rankings.finished_rankings(begun, "asreview-u4", None) == set()


def test_the_same_replay_is_found_again(begun):
    first = rankings.find_replay(begun, FIRST, SECOND, 4)
    other = rankings.find_replay(begun, FIRST, SECOND, 1)
    assert rankings.find_replay(begun, FIRST, SECOND, 4) == first
    assert rankings.replays(begun) == [Replay(other, FIRST, SECOND, 1), Replay(first, FIRST, SECOND, 4)]


@given(st.integers(0, 12), st.data())
def test_whole_order_contains_every_paper(n_papers, drawn):
    n_ranked = drawn.draw(st.integers(0, n_papers))
    ranked = drawn.draw(st.permutations(range(1, n_ranked + 1)))
    order = rankings.whole_order(np.array(ranked, dtype=np.int32), n_papers).tolist()
    assert order == [*ranked, *range(n_ranked + 1, n_papers + 1)]


def test_every_ranking_of_a_published_report_issue_is_scored_once(begun):
    rankings.add_rankings(begun, [make_ranking(order=[3, 1, 4, 2]), make_ranking(ranker="shadow"), make_ranking("his")])
    assert outcomes.score_published_issues(begun, places_of) == 0
    issue_with(begun, "a1", "a4")
    assert outcomes.score_published_issues(begun, places_of) == 2
    assert scored(begun) == {"krichel-2007": [2, 3], "shadow": [1, 4]}
    before = contents(begun)
    assert outcomes.score_published_issues(begun, places_of) == 0
    assert contents(begun) == before


def test_a_ranking_created_after_publication_is_scored_too(begun):
    issue_with(begun, "a2")
    rankings.add_rankings(begun, [make_ranking(order=[2, 1, 3, 4])])
    assert outcomes.score_published_issues(begun, places_of) == 1
    assert scored(begun) == {"krichel-2007": [1]}


def test_only_current_decisions_count_as_relevant(begun):
    rankings.add_rankings(begun, [make_ranking()])
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a2", "maybe"), say("lab", "a1", "no")])
    decisions.decide(begun, [say("his", "a4", "yes"), say("lab", "b4", "yes", SECOND)])
    issue_with(begun, "a3")
    outcomes.score_published_issues(begun, places_of)
    assert scored(begun) == {"krichel-2007": [3]}


def test_an_issue_without_relevant_papers(begun):
    rankings.add_rankings(begun, [make_ranking()])
    issue_with(begun)
    assert outcomes.score_published_issues(begun, places_of) == 1
    assert scored(begun) == {"krichel-2007": []}
    assert outcomes.scored_rankings(begun)[0].n_papers == 4


def test_papers_added_after_ranking_come_last(begun):
    rankings.add_rankings(begun, [make_ranking(order=[4, 3, 2, 1])])
    take_in(begun, make_issue(6))
    issue_with(begun, "a3", "a6")
    outcomes.score_published_issues(begun, places_of)
    assert scored(begun) == {"krichel-2007": [2, 6]}
    assert outcomes.scored_rankings(begun)[0].n_papers == 6


def test_selections_that_were_imported_are_scored(begun):
    rankings.add_rankings(begun, [make_ranking(order=[4, 3, 2, 1])])
    take_in(begun, make_issue(4, selected={"lab": [1, 3]}))
    outcomes.score_published_issues(begun, places_of)
    assert scored(begun) == {"krichel-2007": [2, 4]}


def test_scoring_runs_in_batches(begun, monkeypatch):
    monkeypatch.setattr(outcomes, "SCORED_AT_ONCE", 2)
    rankings.add_rankings(begun, [make_ranking(ranker=f"ranker-{number}") for number in range(5)])
    issue_with(begun, "a2")
    before = catalogue.revision(begun)
    assert outcomes.score_published_issues(begun, places_of) == 5
    assert catalogue.revision(begun) == before + 3
    assert scored(begun) == {f"ranker-{number}": [2] for number in range(5)}


def test_an_error_while_scoring_keeps_finished_outcomes_and_the_next_run_resumes(begun, monkeypatch):
    monkeypatch.setattr(outcomes, "SCORED_AT_ONCE", 1)
    rankings.add_rankings(begun, [make_ranking(), make_ranking(ranker="bad", order=[2, 1, 3, 4])])
    issue_with(begun, "a2")

    def fail_at_the_second(order, relevant):
        if order[0] == 2:
            raise ValueError("no place")
        return places_of(order, relevant)

    with pytest.raises(ValueError, match="no place"):
        outcomes.score_published_issues(begun, fail_at_the_second)
    assert scored(begun) == {"krichel-2007": [2]}
    assert outcomes.score_published_issues(begun, places_of) == 1


def test_scored_rankings_have_the_shown_and_the_trained_flag(begun):
    number = rankings.find_replay(begun, FIRST, SECOND, 1)
    rankings.add_rankings(
        begun,
        [
            make_ranking(scores=[4, 3, 2, 1]),
            make_ranking(scores=[4, 3, 2, 1], ranker="shadow"),
            make_ranking(replay=number),
            make_ranking("his", SECOND),
            make_ranking("his"),
        ],
    )
    issue_with(begun, "a1", shown=1)
    issue_with(begun, "b1", report="his", issue=SECOND)
    issue_with(begun, report="his", shown=5)
    outcomes.score_published_issues(begun, places_of)
    found = [
        (s.ranking_id, s.report, s.issue, s.replay, s.condition is Condition.SHOWN, s.is_trained)
        for s in outcomes.scored_rankings(begun)
    ]
    assert found == [
        (5, "his", FIRST, None, True, False),
        (4, "his", SECOND, None, False, False),
        (1, "lab", FIRST, None, True, True),
        (2, "lab", FIRST, None, False, True),
        (3, "lab", FIRST, number, False, False),
    ]
    assert [s.ranking_id for s in outcomes.scored_rankings(begun, "lab")] == [1, 2, 3]


RANK = """
import numpy as np
from presort.data.learning import outcomes, rankings
from presort.data.records import Ranking

day = date.fromisoformat(sys.argv[4])
order = np.array([4, 3, 2, 1], dtype=np.int32)
rankings.add_rankings(store, [Ranking("lab", day, name, day, 0, 0, order, np.empty(0)) for name in ("one", "two")])
"""


@pytest.mark.each_on_both
@pytest.mark.whole
@pytest.mark.parametrize(
    ("statement", "count"),
    [
        pytest.param("INSERT INTO ranking", 1, id="between-two"),
        pytest.param("UPDATE revision", 1, id="right-before-the-commit"),
    ],
)
def test_a_killed_process_stores_all_rankings_or_none(begun, statement, count):
    before = contents(begun)
    kill_after(begun.folder, statement, count, RANK, FIRST)
    assert contents(begun) == before
    rankings.add_rankings(begun, [make_ranking()])


def test_the_last_ranked_issue_is_that_of_the_newest_ranking_for_an_editor(begun):
    assert rankings.last_ranked_issue(begun) is None
    rankings.add_rankings(begun, [make_ranking(), make_ranking(report="his"), make_ranking(ranker="other")])
    made = rankings.last_ranked_issue(begun)
    assert made is not None
    assert (made.issue, made.n_reports) == (FIRST, 2)
    assert len(made.rankers) == 2


def test_rankings_are_scored_in_parts_that_are_each_read_once(begun, monkeypatch):
    for report, issue in (("lab", FIRST), ("his", SECOND), ("lab", SECOND)):
        rankings.add_rankings(begun, [make_ranking(report, issue), make_ranking(report, issue, order=(4, 3, 2, 1))])
    issue_with(begun, "a2", "a3")
    issue_with(begun, "b1", report="his", issue=SECOND)
    issue_with(begun, "b4", issue=SECOND)
    monkeypatch.setattr(outcomes, "SCORED_AT_ONCE", 1)
    written = []

    @event.listens_for(begun.engine, "before_cursor_execute")
    def note(_connection, _cursor, statement, parameters, *_):
        if statement.startswith("INSERT INTO outcome"):
            written.append(parameters)

    assert outcomes.score_published_issues(begun, places_of) == len(written) == 6
    found = {(one.report, one.issue, tuple(one.places.tolist())) for one in outcomes.scored_rankings(begun)}
    assert found == {
        *(("lab", FIRST, (2, 3)), ("his", SECOND, (1,)), ("his", SECOND, (4,))),
        *(("lab", SECOND, (4,)), ("lab", SECOND, (1,))),
    }
    assert outcomes.score_published_issues(begun, places_of) == 0


def test_rankings_scored_meanwhile_by_another_process_are_skipped(begun, monkeypatch):
    issue_with(begun, "a2")
    rankings.add_rankings(begun, [make_ranking(), make_ranking(order=(4, 3, 2, 1))])
    score_some = outcomes._score_some

    def after_another(*arguments):
        assert score_some(*arguments) == 2
        return score_some(*arguments)

    monkeypatch.setattr(outcomes, "_score_some", after_another)
    assert outcomes.score_published_issues(begun, places_of) == 0
    assert len(outcomes.scored_rankings(begun)) == 2


def test_adding_no_rankings_changes_nothing(begun):
    rankings.add_rankings(begun, [])
    assert rankings.newest_rankings(begun, "lab", FIRST) == {}
