from datetime import UTC, datetime, timedelta

import numpy as np
import pytest
from sqlalchemy import text

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.decisions import minutes_spent
from presort.data.editing.log import PublishedIssue, decisions_since, history_of, published_issues
from presort.data.editing.publications import reopen
from presort.data.errors import RefusedError
from presort.data.learning.outcomes import score_published_issues
from presort.data.learning.rankings import add_rankings, newest_rankings
from presort.data.records import LoggedDecision, Report
from presort.data.store import Store
from presort.data.tables import Moment
from tests.data.workspaces import FIRST, SECOND, THIRD, make_issue, make_ranking, rewriting, say, send_out, take_in

START = datetime(2026, 11, 2, 8, tzinfo=UTC)


@pytest.fixture
def begun(store: Store) -> Store:
    """Two issues with five and three papers, and two reports."""
    take_in(store, make_issue(5), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour"), Report("his", "History")])
    return store


def seen(found: list[LoggedDecision]) -> list[tuple[object, ...]]:
    return [(one.id, one.paper_id, one.about, one.label, one.person, one.client_id) for one in found]


def date_back(store: Store, *seconds: float) -> None:
    """Set the times of the logged decisions, in seconds after the start."""
    times = [Moment.to_text(START + timedelta(seconds=second)) for second in seconds]
    with rewriting(store, "decision") as connection:
        for number, time in enumerate(times, start=1):
            change = text("UPDATE decision SET made_at = :time WHERE id = :number")
            connection.execute(change, {"time": time, "number": number})


def test_nothing_was_decided_yet(begun):
    assert decisions_since(begun, "lab", FIRST, 0) == []
    assert history_of(begun, "lab", FIRST, "a1") == []
    assert minutes_spent(begun, "lab", FIRST) == 0


def test_decisions_since_a_number(begun):
    decisions.decide(begun, [say("lab", "a2", "yes", client_id="m1"), say("his", "a1", "no")])
    decisions.decide(begun, [say("lab", "a1", "maybe", person="Bo"), say("lab", "b1", "yes", SECOND)])
    decisions.decide(begun, [say("lab", "a2", "no", about="publish")])
    expected = [
        (1, "a2", "relevant", "yes", "Ann", "m1"),
        (3, "a1", "relevant", "maybe", "Bo", None),
        (5, "a2", "publish", "no", "Ann", None),
    ]
    for number in range(7):
        found = decisions_since(begun, "lab", FIRST, number)
        assert seen(found) == [row for row in expected if row[0] > number]
    assert seen(decisions_since(begun, "his", FIRST, 0)) == [(2, "a1", "relevant", "no", "Ann", None)]


def test_times_come_back_with_their_zone(begun):
    decisions.decide(begun, [say("lab", "a2", "yes")])
    (only,) = decisions_since(begun, "lab", FIRST, 0)
    assert only.made_at.tzinfo == UTC
    assert abs((datetime.now(UTC) - only.made_at).total_seconds()) < 600


def test_decisions_on_publishing_are_included(begun):
    decisions.decide(begun, [say("lab", "a2", "yes")])
    send_out(begun, "lab", person="Bo")
    assert seen(decisions_since(begun, "lab", FIRST, 1)) == [(2, "a2", "publish", "yes", "Bo", None)]


def test_history_of_one_paper(begun):
    for label, person in [("yes", "Ann"), ("undecided", "Ann"), ("maybe", "Bo")]:
        decisions.decide(
            begun, [say("lab", "a1", label, person=person), say("lab", "a2", "no"), say("his", "a1", "no")]
        )
    assert [(one.label, one.person) for one in history_of(begun, "lab", FIRST, "a1")] == [
        ("yes", "Ann"),
        ("undecided", "Ann"),
        ("maybe", "Bo"),
    ]
    assert history_of(begun, "lab", FIRST, "no such paper") == []


@pytest.mark.parametrize(
    "ask",
    [
        pytest.param(lambda *where: decisions_since(*where, 0), id="decisions-since"),
        pytest.param(lambda *where: history_of(*where, "a1"), id="history-of"),
        pytest.param(minutes_spent, id="minutes-spent"),
    ],
)
@pytest.mark.parametrize(
    ("report", "issue"), [pytest.param("no", FIRST, id="report"), pytest.param("lab", THIRD, id="issue")]
)
def test_unknown_reports_issues_and_papers_are_refused(begun, ask, report, issue):
    with pytest.raises(RefusedError, match="There is no"):
        ask(begun, report, issue)


@pytest.mark.parametrize(
    ("seconds", "minutes"),
    [
        pytest.param([0], 0, id="one-decision"),
        pytest.param([0, 0, 0], 0, id="all-in-one-message"),
        pytest.param([0, 30, 90], 1.5, id="pauses-add-up"),
        pytest.param([0, 300], 5, id="the-longest-pause"),
        pytest.param([0, 301], 5, id="longer-pauses-count-as-the-limit"),
        pytest.param([0, 60, 86_460, 86_520], 7, id="overnight"),
        pytest.param([60, 0, 30], 1, id="a-clock-that-was-set-back"),
    ],
)
def test_minutes_are_computed_from_the_intervals_between_decisions(begun, seconds, minutes):
    decisions.decide(begun, [say("lab", "a1", "yes")] * len(seconds))
    date_back(begun, *seconds)
    assert minutes_spent(begun, "lab", FIRST) == pytest.approx(minutes)


def test_minutes_of_all_editors_of_this_report_issue_count(begun):
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a1", "no", person="Bo")])
    decisions.decide(begun, [say("lab", "a2", "yes"), say("lab", "a2", "no", person="Bo")])
    decisions.decide(begun, [say("his", "a2", "yes"), say("lab", "b1", "yes", SECOND)])
    date_back(begun, 0, 10, 60, 40, 120, 180)
    assert minutes_spent(begun, "lab", FIRST) == pytest.approx(1.5)


def test_imported_selections_took_no_time(store):
    take_in(store, make_issue(5, selected={"lab": [1, 2, 3]}))
    assert minutes_spent(store, "lab", FIRST) == 0


def shown_to(store: Store, report: str, order: list[int], *, scores: list[float] | None = None) -> int:
    add_rankings(store, [make_ranking(report, order=order, scores=scores)])
    return newest_rankings(store, report, FIRST)["krichel-2007"].id


def score_all(store: Store) -> None:
    score_published_issues(store, lambda order, relevant: np.flatnonzero(np.isin(order, relevant)) + 1)


def outlined(found: list[PublishedIssue]) -> list[tuple[object, ...]]:
    return [(one.report, one.issue, one.person, one.n_papers, one.n_published, one.last_place) for one in found]


def test_no_published_issues_yet(begun):
    assert published_issues(begun, ["lab", "his"], 9) == []
    assert published_issues(begun, [], 9) == []


def test_published_issues_are_listed_newest_first(begun):
    decisions.decide(begun, [say("lab", "a1", "yes"), say("lab", "a4", "yes"), say("lab", "a4", "no", about="publish")])
    shown = shown_to(begun, "lab", [5, 1, 3, 4, 2], scores=[5.0, 4.0, 3.0, 2.0, 1.0])
    send_out(begun, "lab", shown=shown)
    send_out(begun, "his", SECOND, person="Bo")
    send_out(begun, "lab", SECOND)
    score_all(begun)
    found = published_issues(begun, ["lab", "his"], 9)
    assert outlined(found) == [
        ("his", SECOND, "Bo", 3, 0, None),
        ("lab", SECOND, "Ann", 3, 0, None),
        ("lab", FIRST, "Ann", 5, 1, 4),
    ]
    assert [one.is_sorted for one in found] == [False, False, True]
    assert abs((datetime.now(UTC) - found[0].published_at).total_seconds()) < 600
    assert published_issues(begun, ["lab", "his"], 1) == found[:1]
    assert published_issues(begun, ["lab"], 9) == found[1:]


def test_nothing_relevant_has_no_last_place_and_list_order_is_not_sorted(begun):
    send_out(begun, "lab", shown=shown_to(begun, "lab", [5, 1, 3, 4, 2], scores=[5.0, 4.0, 3.0, 2.0, 1.0]))
    decisions.decide(begun, [say("his", "a1", "yes")])
    send_out(begun, "his", shown=shown_to(begun, "his", [1, 2, 3, 4, 5]))
    score_all(begun)
    assert [(one.report, one.is_sorted, one.last_place) for one in published_issues(begun, ["lab", "his"], 9)] == [
        ("his", False, None),
        ("lab", True, None),
    ]


def test_of_imported_selections_the_relevant_papers_count_as_published(store):
    take_in(store, make_issue(5, selected={"lab": [1, 2, 3]}))
    assert outlined(published_issues(store, ["lab"], 9)) == [("lab", FIRST, "files", 5, 3, None)]
    reopen(store, "lab", FIRST, "One too many.", person="Ann")
    assert published_issues(store, ["lab"], 9) == []
    decisions.decide(store, [say("lab", f"a{n}", "no", about="publish") for n in (1, 2, 3)])
    send_out(store, "lab")
    assert outlined(published_issues(store, ["lab"], 9)) == [("lab", FIRST, "Ann", 5, 0, None)]


def test_published_issues_continue_after_a_place_in_the_list(begun):
    catalogue.add_reports(begun, [Report("mac", "Macro")])
    take_in(begun, make_issue(1, THIRD))
    places = [(day, code) for day in (THIRD, SECOND, FIRST) for code in ("his", "lab", "mac")]
    for day, code in sorted(places):
        send_out(begun, code, day)
    codes = ["lab", "his", "mac"]

    def found(limit, **how):
        return [(one.issue, one.report) for one in published_issues(begun, codes, limit, **how)]

    assert found(99) == places
    for n, place in enumerate(places, 1):
        assert found(2, after=place) == places[n : n + 2]
    assert found(99, after=(SECOND, "hit")) == places[4:]  # a report that doesn't exist
    assert found(99, first_day=SECOND, last_day=SECOND) == places[3:6]
    assert found(1, first_day=FIRST, last_day=SECOND, after=(SECOND, "mac")) == places[6:7]
    assert found(99, first_day=SECOND, after=places[-1]) == []
