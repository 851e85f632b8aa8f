from datetime import UTC, datetime, timedelta

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.drafts import save_draft
from presort.data.editing.publications import publication_log, reopen
from presort.data.errors import RefusedError
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.records import Draft, Report, ReportIssue
from presort.data.store import Store
from tests.data.workspaces import (
    FIRST,
    SECOND,
    THIRD,
    contents,
    damage,
    kill_after,
    make_issue,
    make_ranking,
    say,
    send_out,
    take_in,
)

WHY = "One is missing."


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues of four papers, two reports, and a ranking of each issue for the first report."""
    take_in(store, make_issue(4), make_issue(4, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    rankings.add_rankings(store, [make_ranking(order=[4, 3, 2, 1]), make_ranking(issue=SECOND)])
    decisions.decide(store, [say("lab", "a1", "yes"), say("lab", "a2", "yes"), say("lab", "b1", "yes", SECOND)])
    return store


def score(store: Store) -> int:
    return outcomes.score_published_issues(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)


def scored(store: Store) -> list[tuple[object, list[int]]]:
    return [(one.issue, one.places.tolist()) for one in outcomes.scored_rankings(store)]


def test_an_unpublished_issue_has_no_publication_log(begun):
    assert publication_log(begun, "lab", FIRST) == []


def test_the_current_publication_is_in_the_log(begun):
    send_out(begun, "lab", order=(2, 1), shown=1)
    (only,) = publication_log(begun, "lab", FIRST)
    assert (
        only.report_issue
        == publications.published(begun, "lab")[FIRST]
        == ReportIssue("lab", FIRST, (2, 1), "Ann", 1, n_papers=4)
    )
    assert only.reopened is None
    assert abs((datetime.now(UTC) - only.made_at).total_seconds()) < 600


def test_a_report_issue_is_reopened_changed_and_published_again(begun):
    save_draft(begun, Draft("lab", FIRST, note="A short one."), person="Ann")
    send_out(begun, "lab", order=(2, 1), shown=1)
    reopen(begun, "lab", FIRST, f"  {WHY}\n", person="Bo")
    assert publications.published(begun, "lab") == {}
    assert decisions.labels(begun, "lab", FIRST) == {"a1": "yes", "a2": "yes"}
    decisions.decide(begun, [say("lab", "a3", "yes"), say("lab", "a1", "no", about="publish")])
    save_draft(begun, Draft("lab", FIRST, note="A longer one."), person="Bo")
    assert send_out(begun, "lab", order=(1, 2, 3), person="Bo") == (2, 3)
    first, second = publication_log(begun, "lab", FIRST)
    assert first.report_issue == ReportIssue("lab", FIRST, (2, 1), "Ann", 1, "A short one.")
    assert (first.reopened.person, first.reopened.reason) == ("Bo", WHY)
    assert first.made_at <= first.reopened.made_at <= second.made_at
    assert second.report_issue == ReportIssue("lab", FIRST, (2, 3), "Bo", None, "A longer one.", n_papers=4)
    assert second.reopened is None


def test_the_log_keeps_every_reopening_of_this_report_issue(begun):
    for day, why in [(FIRST, "1"), (SECOND, "other issue"), (FIRST, "2"), (FIRST, "3")]:
        send_out(begun, "lab", day)
        reopen(begun, "lab", day, why, person="Ann")
    send_out(begun, "his", FIRST)
    assert [one.reopened.reason for one in publication_log(begun, "lab", FIRST)] == ["1", "2", "3"]
    assert [one.reopened for one in publication_log(begun, "his", FIRST)] == [None]


def test_the_state_of_outcomes_never_repeats(begun):
    send_out(begun, "lab", SECOND)
    score(begun)
    states = [outcomes.outcomes_state(begun)]
    of_report = [outcomes.outcomes_states(begun, SECOND + timedelta(days=1))]
    for _ in range(2):
        send_out(begun, "lab", FIRST)
        score(begun)
        reopen(begun, "lab", FIRST, WHY, person="Ann")  # current decisions are those from before
        states.append(outcomes.outcomes_state(begun))
        of_report.append(outcomes.outcomes_states(begun, SECOND + timedelta(days=1), "lab"))
    assert [(n, n_reopened) for n, _, n_reopened in states] == [(1, 0), (1, 1), (1, 2)]
    assert of_report == [{"lab": state} for state in states]
    assert outcomes.outcomes_states(begun, FIRST) == {}


def test_outcomes_are_deleted_and_recomputed_and_rankings_stay(begun):
    send_out(begun, "lab", FIRST)
    send_out(begun, "lab", SECOND)
    score(begun)
    before = contents(begun)["ranking"]
    assert scored(begun) == [(FIRST, [3, 4]), (SECOND, [1])]
    reopen(begun, "lab", FIRST, WHY, person="Ann")
    assert scored(begun) == [(SECOND, [1])]
    assert score(begun) == 0
    decisions.decide(begun, [say("lab", "a1", "no"), say("lab", "a4", "yes")])
    send_out(begun, "lab", FIRST)
    assert score(begun) == 1
    assert scored(begun) == [(FIRST, [1, 3]), (SECOND, [1])]
    assert contents(begun)["ranking"] == before


def test_training_treats_a_reopened_issue_as_under_review(begun):
    def unsure():
        return read_history(begun, FIRST).maybe["lab"].tolist()

    assert unsure() == [2, 3]
    send_out(begun, "lab", FIRST)
    assert unsure() == []
    reopen(begun, "lab", FIRST, WHY, person="Ann")
    assert unsure() == [2, 3]


@pytest.mark.parametrize(
    ("report", "issue", "reason", "message"),
    [
        pytest.param("lab", FIRST, " \n\t", f"Enter a reason for reopening lab {FIRST}", id="no-reason"),
        pytest.param(
            "lab", FIRST, "x" * 1_001, "A reason can have at most 1,000 characters. This text has 1,001", id="long"
        ),
        pytest.param("lab", SECOND, WHY, f"lab {SECOND} is not published, so it can't be reopened", id="not-out"),
        pytest.param("his", FIRST, WHY, f"his {FIRST} is not published", id="other-report"),
        pytest.param("no", FIRST, WHY, "There is no report 'no'", id="report"),
        pytest.param("lab", THIRD, WHY, f"There is no issue of {THIRD}", id="issue"),
    ],
)
def test_a_refused_reopening_changes_nothing(begun, report, issue, reason, message):
    send_out(begun, "lab", FIRST)
    score(begun)
    before = contents(begun)
    with pytest.raises(RefusedError, match=message):
        reopen(begun, report, issue, reason, person="New")
    assert contents(begun) == before


def test_reopening_twice_is_refused(begun):
    send_out(begun, "lab")
    reopen(begun, "lab", FIRST, WHY, person="Ann")
    with pytest.raises(RefusedError, match="is not published"):
        reopen(begun, "lab", FIRST, WHY, person="Ann")


def test_imported_selections_can_be_reopened(store):
    take_in(store, make_issue(3, selected={"lab": [2]}))
    reopen(store, "lab", FIRST, WHY, person="Ann")
    decisions.decide(store, [say("lab", "a3", "yes")])
    assert send_out(store, "lab", order=(1, 2, 3)) == (2, 3)
    assert [one.report_issue.person for one in publication_log(store, "lab", FIRST)] == ["files", "Ann"]


REOPEN = """
from presort.data.editing.publications import reopen
reopen(store, "lab", date.fromisoformat(sys.argv[4]), "One is missing.", person="Bo")
"""


@pytest.mark.each_on_both
@pytest.mark.parametrize(
    "statement",
    [
        pytest.param("INSERT INTO reopened_issue", id="after-the-log"),
        pytest.param("DELETE FROM report_issue", id="before-the-outcomes"),
        pytest.param("UPDATE revision", id="before-the-commit"),
    ],
)
def test_a_process_killed_while_reopening_changes_nothing(begun, statement):
    send_out(begun, "lab")
    score(begun)
    before = contents(begun)
    kill_after(begun.folder, statement, 1, REOPEN, FIRST)
    assert damage(begun) == []
    assert contents(begun) == before
