"""Reading effort computed from the logs."""

from datetime import UTC, date, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import update

from presort.data import catalogue
from presort.data.editing import decisions, publications, skipping
from presort.data.editing import work as desk_work
from presort.data.editing.rerankings import add_reranking
from presort.data.intake.commit_import import commit_import
from presort.data.learning import rankings
from presort.data.records import Decision, ListedPaper, Paper, Ranking, Report, ReviewProgress
from presort.data.tables import DecisionRow
from tests.data.workspaces import rewriting

DAYS = [date(2026, 11, 2), date(2026, 11, 9)]
ORDER = np.array([3, 1, 5, 2, 4], dtype=np.int32)


@pytest.fixture
def store(store):
    """Two issues of five papers, and two reports. The first issue was ranked for lab."""
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("mac", "Macro")])
    listed = [ListedPaper(Paper(f"{day.day}-{n}", f"Title {n}"), day) for day in DAYS for n in range(1, 6)]
    commit_import(store, listed, person="import")
    scores = -np.arange(5, dtype=float)
    rankings.add_rankings(store, [Ranking("lab", DAYS[0], "presort-1", DAYS[0], 0, 0, ORDER, scores)])
    return store


@pytest.fixture
def shown(store):
    return rankings.newest_rankings(store, "lab", DAYS[0])["presort-1"].id


def decide(store, number, word, *, report="lab", day=DAYS[0], ranking=None, person="ada"):
    decisions.decide(store, [Decision(report, day, f"{day.day}-{number}", word, person, ranking_id=ranking)])


def issue(store, report="lab", day=DAYS[0], ranking=None):
    publications.publish_report_issue(store, report, day, ORDER.tolist(), ranking_id=ranking, person="ada")


def test_the_last_relevant_position_in_list_order_covers_published_report_issues(store, shown):
    decide(store, 2, "yes", ranking=shown)
    decide(store, 5, "yes", ranking=shown)
    decide(store, 5, "no", ranking=shown)
    decide(store, 4, "yes", report="mac")
    assert desk_work.last_in_list(store, date.min) == {}
    issue(store, ranking=shown)
    assert desk_work.last_in_list(store, date.min) == {("lab", DAYS[0]): 2}
    assert desk_work.last_in_list(store, DAYS[0]) == {("lab", DAYS[0]): 2}
    assert desk_work.last_in_list(store, DAYS[0] + timedelta(days=1)) == {}


def test_an_empty_issue_counts_as_decided(store):
    assert desk_work.decided_issues(store) == {}
    decide(store, 1, "no")
    decide(store, 1, "yes", report="mac")
    issue(store, "mac", DAYS[1])
    assert desk_work.decided_issues(store) == {"lab": DAYS[:1], "mac": DAYS}


def test_a_skipped_issue_counts_as_decided_until_the_skip_is_undone(store):
    skipping.skip(store, "lab", DAYS[0], person="ada")
    assert desk_work.decided_issues(store) == {"lab": DAYS[:1]}
    skipping.undo_skip(store, "lab", DAYS[0], person="ada")
    assert desk_work.decided_issues(store) == {}


def test_desk_work_has_the_shown_list_and_its_stop_point(store, shown):
    decide(store, 3, "yes", ranking=shown)
    review_progress = ReviewProgress((2, 4), stop_at=3)
    publications.publish_report_issue(
        store, "lab", DAYS[0], ORDER.tolist(), ranking_id=shown, person="ada", review_progress=review_progress
    )
    (work,) = desk_work.desk_work(store, DAYS[0])
    assert (work.report, work.issue, work.ranker, work.n_papers, work.stop_at) == ("lab", DAYS[0], "presort-1", 5, 3)
    assert work.order.tolist() == ORDER.tolist()
    assert desk_work.desk_work(store, DAYS[1]) == []
    assert len(desk_work.desk_work(store, DAYS[0], ["lab", "mac"])) == 1
    assert desk_work.desk_work(store, DAYS[0], ["mac"]) == []


def test_desk_work_has_the_saved_order_that_was_read_and_the_relevant_papers(store, shown):
    decide(store, 4, "yes", ranking=shown)
    decide(store, 2, "yes", ranking=shown)
    orders = [np.array(order, dtype=np.int32) for order in ([4, 3, 1, 5, 2], [4, 2, 3, 1, 5])]
    for order in orders:
        add_reranking(store, "lab", DAYS[0], shown, order, n_decisions=2, person="ada")
    issue(store, ranking=shown)
    (work,) = desk_work.desk_work(store, DAYS[0])
    assert work.order.tolist() == orders[-1].tolist()
    assert work.relevant.tolist() == [2, 4]


def test_selections_without_a_ranking_are_no_desk_work(store):
    decide(store, 1, "yes")
    issue(store)
    assert desk_work.desk_work(store, DAYS[0]) == []
    assert desk_work.minutes_at_desk(store, DAYS[0]) == {}


def test_minutes_equal_those_of_the_review_log(store, shown):
    start = datetime(2026, 11, 3, 9, tzinfo=UTC)
    pauses = [(1, "ada", 0), (2, "ada", 2), (3, "bob", 3), (4, "bob", 3.5), (5, "ada", 40)]
    for number, person, _ in pauses:
        decide(store, number, "yes" if number == 1 else "no", ranking=shown, person=person)
    decide(store, 1, "no", report="mac")
    issue(store, ranking=shown)
    with rewriting(store, "decision") as connection:
        for number, (*_, minutes) in enumerate(pauses, start=1):
            then = start + timedelta(minutes=minutes)
            connection.execute(update(DecisionRow).where(DecisionRow.id == number).values(made_at=then))
    spent = decisions.minutes_spent(store, "lab", DAYS[0])
    assert spent == pytest.approx(2 + 0.5 + 5 + 5)  # published long after the issue
    for reports in ((), ["lab"]):
        assert desk_work.minutes_at_desk(store, DAYS[0], reports) == pytest.approx({("lab", DAYS[0]): spent})
    assert desk_work.minutes_at_desk(store, DAYS[0], ["mac"]) == {}
