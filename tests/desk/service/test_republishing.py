"""Reopening and republishing a report issue: everything unchanged counts as before."""

from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.drafts import save_draft
from presort.data.editing.notes import add_notes
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import mark_read, read_positions
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.records import Decision, Draft, Note, Ranking, ReviewProgress, StoredRanking
from presort.data.store import Store
from presort.desk.scores import table
from presort.desk.service import workflow
from presort.desk.session import progress
from presort.desk.session.progress import shown_order
from tests.data.workspaces import copied, make_listed, send_out, take_in

RANKER = "krichel-2007"
WHY = "One is missing."
SIZE = 30  # reviewed papers of the newest issue


def training(store: Store) -> dict[str, tuple[set[int], set[int]]]:
    """Return the rows of the relevant papers, and of those without a label, by report."""
    history = read_history(store, date.max)
    rows = {code: (set(history.relevant[code].tolist()), set(history.maybe[code].tolist())) for code in history.maybe}
    return dict(sorted(rows.items()))


def figures(store: Store) -> object:
    """Return all figures, and the data they are computed from."""
    workflow.score(store)
    scored = [(x.ranking_id, x.n_papers, x.places.tolist(), x.ended) for x in outcomes.scored_rankings(store)]
    columns = table.scores(store).drop(columns="outcome")
    return scored, columns.to_csv()


def published(store: Store, report: str, issue: date) -> tuple[object, ...]:
    published_issue = publications.published(store, report)[issue]
    return published_issue.n_papers, published_issue.review_progress, published_issue.ranking_id


def shown_in(store: Store, report: str, issue: date) -> StoredRanking | None:
    """Return the ranking with which a report issue was published."""
    number = publications.published(store, report)[issue].ranking_id
    return None if number is None else rankings.ranking(store, number)


def republish(store: Store, report: str, issue: date, *, shown: StoredRanking | None, person: str = "ben") -> None:
    reopen(store, report, issue, WHY, person=person)
    workflow.publish_report_issue(store, report, issue, shown, person=person)


def imported(store: Store, report: str = "lab") -> date:
    """Return a replayed issue with imported selections of a report."""
    days = [one.issue for one in outcomes.scored_rankings(store, report) if len(one.places)]
    return days[len(days) // 2]


def test_an_imported_issue_keeps_its_negatives_and_its_figures(finished):
    day = imported(finished)
    before = training(finished), figures(finished), published(finished, "lab", day)
    republish(finished, "lab", day, shown=None)
    assert (training(finished), figures(finished), published(finished, "lab", day)) == before
    assert publications.published(finished, "lab")[day].source == "desk"


def test_an_imported_issue_counts_as_read_while_it_is_reopened(finished):
    day = imported(finished)
    n_papers = len(catalogue.papers(finished, day))
    assert len(read_positions(finished, "lab", day)) == 0, "nobody read it at the desk"
    reopen(finished, "lab", day, WHY, person="ada")
    assert read_positions(finished, "lab", day).tolist() == list(range(1, n_papers + 1))
    assert progress.review_progress(finished, "lab", day, None) == ReviewProgress()


def test_an_imported_issue_keeps_its_negatives_after_being_ranked(finished):
    day = imported(finished)
    before = training(finished), published(finished, "lab", day)[:2]
    positions = np.arange(len(catalogue.papers(finished, day)), 0, -1, dtype=np.int32)
    made = Ranking("lab", day, RANKER, day, 0, 3, positions, np.linspace(1, 0, len(positions)))
    rankings.add_rankings(finished, [made])
    republish(finished, "lab", day, shown=rankings.newest_rankings(finished, "lab", day)[RANKER])
    assert (training(finished), published(finished, "lab", day)[:2]) == before


def test_an_issue_published_before_progress_was_stored_keeps_its_negatives(finished, newest):
    """Rows of older tables: all papers count as read, although the logs record reading of one paper only."""
    shown = rankings.newest_rankings(finished, "lab", newest)[RANKER]
    papers = catalogue.papers(finished, newest)
    decided = Decision("lab", newest, papers[2].paper_id, "yes", "ada", ranking_id=shown.id, is_alone=True)
    decisions.decide(finished, [decided])
    send_out(finished, "lab", newest, shown=shown.id)
    before = training(finished), figures(finished), published(finished, "lab", newest)
    for _ in range(2):
        republish(finished, "lab", newest, shown=shown)
        assert (training(finished), figures(finished), published(finished, "lab", newest)) == before


def test_papers_that_joined_since_the_first_publication_stay_out(finished, newest):
    """Nobody has seen them, so they are not negatives, and outcomes have as many papers as before."""
    day = imported(finished)
    reopen(finished, "lab", day, WHY, person="ada")
    n_papers = len(catalogue.papers(finished, day))
    take_in(finished, [make_listed(f"late{n}", day) for n in range(4)])
    workflow.publish_report_issue(finished, "lab", day, None, person="ada")
    assert published(finished, "lab", day)[:2] == (n_papers, ReviewProgress())
    history = read_history(finished, date.max)
    start = history.starts[history.issues.index(day)]
    silent = history.maybe["lab"]
    assert silent[(silent >= start + n_papers) & (silent < start + n_papers + 4)].tolist() == [
        start + n_papers + n for n in range(4)
    ]


def test_only_decided_papers_among_those_added_later_are_training_data(finished):
    day = imported(finished)
    before = published(finished, "lab", day)
    n_papers = len(catalogue.papers(finished, day))
    was = training(finished)["lab"]
    reopen(finished, "lab", day, WHY, person="ada")
    take_in(finished, [make_listed(f"late{n}", day) for n in range(4)])
    decisions.decide(finished, [Decision("lab", day, "late2", "yes", "ada", is_alone=True)])
    workflow.publish_report_issue(finished, "lab", day, None, person="ada")
    assert published(finished, "lab", day)[:2] == (n_papers + 3, ReviewProgress((n_papers + 1, n_papers + 2), "all"))
    for _ in range(2):
        history = read_history(finished, date.max)
        start = history.starts[history.issues.index(day)]
        late = {start + n_papers + n for n in range(4)}
        relevant, silent = (set(rows["lab"].tolist()) & late for rows in (history.relevant, history.maybe))
        assert (relevant, silent) == ({start + n_papers + 2}, late - {start + n_papers + 2})
        assert len(history.relevant["lab"]) == len(was[0]) + 1
        republish(finished, "lab", day, shown=None)
    assert before[1].ended == published(finished, "lab", day)[1].ended == "all"


WORDS = st.sampled_from(["yes", "yes", "no", "maybe"])


@st.composite
def reviews(draw):
    """Draw an editor's actions in a list: decisions, some of them after a search, a read mark, and a draft."""
    places = draw(st.dictionaries(st.integers(1, SIZE), st.tuples(WORDS, st.booleans()), max_size=8))
    return {
        "report": draw(st.sampled_from(["lab", "mac"])),
        "is_sorted": draw(st.booleans()),
        "places": places,
        "marked": draw(st.one_of(st.none(), st.integers(1, SIZE))),
        "order": draw(st.permutations(sorted(places))),
        "note": draw(st.sampled_from(["", "A short one."])),
    }


def review(store: Store, newest: date, given: dict) -> StoredRanking | None:
    """Review the newest issue with these actions, and publish it."""
    report = given["report"]
    shown = rankings.newest_rankings(store, report, newest)[RANKER] if given["is_sorted"] else None
    number = None if shown is None else shown.id
    papers = catalogue.papers(store, newest)
    order = shown_order(shown, len(papers))
    entries = [
        Decision(report, newest, papers[order[place - 1] - 1].paper_id, word, "ada", ranking_id=number, is_alone=alone)
        for place, (word, alone) in given["places"].items()
    ]
    decisions.decide(store, entries)
    if given["marked"]:
        mark_read(store, report, newest, number, given["marked"], person="ada")
    change_draft(store, newest, given)
    workflow.publish_report_issue(store, report, newest, shown, person="ada")
    return shown


def change_draft(store: Store, newest: date, given: dict) -> None:
    save_draft(store, Draft(given["report"], newest, tuple(given["order"]), given["note"]), person="ada")


# Each example copies a workspace and scores it by every measure, so there are fewer than usual.
every_example_on_a_copy = settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=12)


@every_example_on_a_copy
@given(given_=reviews(), other=reviews(), n_times=st.integers(1, 2))
def test_publishing_again_changes_only_order_and_notes(finished, newest, given_, other, n_times):
    with copied(finished) as store:
        shown = review(store, newest, given_)
        report = given_["report"]
        before = training(store), figures(store), published(store, report, newest)
        for _ in range(n_times):
            reopen(store, report, newest, WHY, person="ben")
            change_draft(store, newest, other | {"report": report})
            paper = catalogue.papers(store, newest)[0].paper_id
            add_notes(store, [Note(report, newest, paper, "note", other["note"] or "Ask.", "ben")])
            workflow.publish_report_issue(store, report, newest, shown, person="ben")
            assert (training(store), figures(store), published(store, report, newest)) == before


@every_example_on_a_copy
@given(given_=reviews(), place=st.integers(1, SIZE), word=st.sampled_from(["yes", "no", "maybe", "undecided"]))
def test_a_changed_decision_affects_only_that_paper(finished, newest, given_, place, word):
    with copied(finished) as store:
        shown = review(store, newest, given_)
        report = given_["report"]
        before, ended = training(store), publications.published(store, report)[newest].review_progress.ended
        reopen(store, report, newest, WHY, person="ben")
        papers = catalogue.papers(store, newest)
        position = int(shown_order(shown, len(papers))[place - 1])
        paper, number = papers[position - 1].paper_id, None if shown is None else shown.id
        decided = Decision(report, newest, paper, word, "ben", ranking_id=number, is_alone=True)
        decisions.decide(store, [decided])
        workflow.publish_report_issue(store, report, newest, shown, person="ben")
        history = read_history(store, newest)
        changed = {int(history.starts[-2]) + position - 1}
        after = training(store)
        levels = ["early", "advised", "all"]
        now = publications.published(store, report)[newest].review_progress.ended
        assert levels.index(now) >= levels.index(ended)
        if now == ended and _has_relevant(before, after, report, history.starts[-2]):
            for was, by_now in zip(before[report], after[report], strict=True):
                assert was ^ by_now <= changed
        assert {code: rows for code, rows in after.items() if code != report} == {
            code: rows for code, rows in before.items() if code != report
        }


def _has_relevant(before: dict, after: dict, report: str, start: int) -> bool:
    return all(report in some and any(row >= start for row in some[report][0]) for some in (before, after))


@every_example_on_a_copy
@given(index=st.integers(0, 5), report=st.sampled_from(["lab", "mac", "his"]), n_times=st.integers(1, 2))
def test_publishing_an_import_again_changes_nothing(finished, index, report, n_times):
    with copied(finished) as store:
        days = sorted(publications.published(store, report)) if report in _codes(store) else []
        if not days:
            return
        day = days[index % len(days)]
        before = training(store), figures(store), published(store, report, day)
        for _ in range(n_times):
            republish(store, report, day, shown=shown_in(store, report, day))
            assert (training(store), figures(store), published(store, report, day)) == before


def _codes(store: Store) -> list[str]:
    return [report.code for report in catalogue.reports(store)]


@pytest.mark.parametrize("is_undone", [False, True])
def test_a_paper_found_by_a_search_counts_as_read_unless_undone(finished, newest, is_undone):
    shown = rankings.newest_rankings(finished, "lab", newest)[RANKER]
    papers = catalogue.papers(finished, newest)
    order = shown_order(shown, len(papers))
    first, deep = (papers[order[place - 1] - 1].paper_id for place in (1, len(papers)))
    entries = [
        Decision("lab", newest, first, "yes", "ada", ranking_id=shown.id),
        Decision("lab", newest, deep, "yes", "ada", ranking_id=shown.id, is_alone=True),
    ]
    decisions.decide(finished, entries)
    workflow.publish_report_issue(finished, "lab", newest, shown, person="ada")
    before = published(finished, "lab", newest)[1]
    assert before.ended == "early"
    reopen(finished, "lab", newest, "A wrong click.", person="ada")
    if is_undone:
        decisions.decide(finished, [Decision("lab", newest, deep, "undecided", "ada", ranking_id=shown.id)])
    workflow.publish_report_issue(finished, "lab", newest, shown, person="ada")
    left = set(published(finished, "lab", newest)[1].unread)
    assert left == set(before.unread) | ({int(order[-1])} if is_undone else set())
