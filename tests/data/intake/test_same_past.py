"""Importing the same past from several files, in any order, gives the same result."""

from collections.abc import Sequence
from datetime import date

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from presort.data import catalogue
from presort.data.editing import publications
from presort.data.editing.publications import reopen
from presort.data.editing.read_papers import mark_read
from presort.data.intake.commit_import import commit_import
from presort.data.learning import outcomes, rankings
from presort.data.learning.history import read_history
from presort.data.records import ListedPaper
from presort.data.store import Store
from tests.data.workspaces import FIRST, SECOND, copied, make_issue, make_listed, make_ranking, send_out, take_in

DAYS, REPORTS = (FIRST, SECOND), ("his", "lab", "mac")


def places_of(order, relevant):
    return np.flatnonzero(np.isin(order, relevant)).astype(np.int32) + 1


def past_of(store: Store) -> dict[tuple[str, date], object]:
    """Return the state of each report issue by paper ids. The order of a list is that of its files."""
    history = read_history(store, date.max)
    names = np.array(history.papers.ids, dtype=object)
    found = {}
    for code in (report.code for report in catalogue.reports(store)):
        for day, published_issue in publications.published(store, code).items():
            start, end = history.starts[history.issues.index(day) :][:2]
            relevant, silent = (
                sorted(names[rows[(rows >= start) & (rows < end)]])
                for rows in (history.relevant[code], history.maybe[code])
            )
            found[code, day] = (
                published_issue.n_papers,
                published_issue.review_progress,
                sorted(names[start:end]),
                relevant,
                silent,
            )
    return found


def outcomes_of(store: Store) -> dict[tuple[str, date], tuple[int, int]]:
    """Rank every report issue by paper id, and return the number of papers and the places of each outcome."""
    new = []
    for code, day in past_of(store):
        papers = [paper.paper_id for paper in catalogue.papers(store, day)]
        order = np.argsort(papers) + 1
        new.append(make_ranking(code, day, order=order.tolist()))
    rankings.add_rankings(store, new)
    outcomes.score_published_issues(store, places_of)
    return {(one.report, one.issue): (one.n_papers, one.places.tolist()) for one in outcomes.scored_rankings(store)}


@st.composite
def pasts(draw):
    """Draw lists of two issues, with the selections of three reports. Some papers are in both issues."""
    listed = []
    for day in DAYS:
        for number in draw(st.sets(st.integers(1, 9), min_size=1)):
            by = tuple(code for code in REPORTS if draw(st.integers(0, 3)) == 0)
            listed.append(make_listed(f"a{number}", day, selected_by=by))
    return listed


@st.composite
def files(draw, past: Sequence[ListedPaper]):
    """Draw files into which a past is divided, in any order. Files may overlap."""
    n_files = draw(st.integers(1, 4))
    parts = [[] for _ in range(n_files)]
    for listed in past:
        for number in draw(st.sets(st.integers(0, n_files - 1), min_size=1, max_size=2)):
            parts[number].append(listed)
    return [draw(st.permutations(part)) for part in draw(st.permutations(parts))]


@st.composite
def selections_apart(draw, past: Sequence[ListedPaper]):
    """Draw files like those that reports keep: the whole list of an issue, with the selections of one report only."""
    of_reports = [
        [
            ListedPaper(listed.paper, listed.issue, (code,) if code in listed.selected_by else ())
            for listed in past
            if listed.issue == day
        ]
        for code in REPORTS
        for day in DAYS
    ]
    return draw(st.permutations(of_reports))


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)  # two workspaces each
@given(st.data())
@pytest.mark.of_file
def test_history_does_not_depend_on_its_division_into_files(store, data):
    past = data.draw(pasts())
    divided = data.draw(st.one_of(files(past), selections_apart(past)))
    ranks_between = data.draw(st.booleans())
    with copied(store) as whole, copied(store) as parts:
        take_in(whole, past)
        for part in divided:
            take_in(parts, part)
            if ranks_between:
                outcomes_of(parts)
        assert past_of(parts) == past_of(whole)
        assert outcomes_of(parts) == outcomes_of(whole)


@pytest.mark.parametrize("is_reversed", [False, True])
def test_an_issue_of_two_files_has_all_its_papers_in_either_order(store, is_reversed):
    """One file has the issue's papers with a report's selections. The other has papers that no report selected."""
    past = make_issue(80, selected={"lab": [3, 9]})
    parts = [past[:40], past[40:]]
    for part in reversed(parts) if is_reversed else parts:
        take_in(store, part)
    assert publications.published(store, "lab")[FIRST].n_papers == 80
    assert read_history(store, FIRST).maybe["lab"].tolist() == []


def test_outcomes_of_fewer_papers_are_recomputed(store):
    take_in(store, make_issue(4, selected={"lab": [2]}))
    rankings.add_rankings(store, [make_ranking(order=[4, 3, 2, 1])])
    outcomes.score_published_issues(store, places_of)
    take_in(store, [make_listed(f"z{n}") for n in range(3)])
    assert outcomes.scored_rankings(store) == []
    outcomes.score_published_issues(store, places_of)
    assert [(one.n_papers, one.places.tolist()) for one in outcomes.scored_rankings(store)] == [(7, [3])]


@pytest.mark.parametrize("at_desk", ["published", "reopened", "reopened-and-published"])
def test_papers_imported_after_an_editor_began_count_as_added_later(store, at_desk):
    """Only report issues known from files are extended.

    After an editor's change, nobody has seen papers that a file adds.
    """
    take_in(store, make_issue(4, selected={"lab": [2]} if at_desk != "published" else {}))
    if at_desk == "published":
        catalogue.add_reports(store, [catalogue.Report("lab", "Labour")])
        send_out(store, "lab")
    else:
        reopen(store, "lab", FIRST, "One is missing.", person="Ann")
        if at_desk == "reopened-and-published":
            send_out(store, "lab")
    take_in(store, make_issue(7, selected={"his": [7], "lab": [6]}))
    if at_desk == "reopened":
        send_out(store, "lab")
    known = {code: publications.published(store, code)[FIRST].n_papers for code in ("lab", "his")}
    assert known == {"lab": 4, "his": 7}


def test_an_issue_with_a_read_mark_is_left_to_its_editor(store):
    take_in(store, make_issue(3))
    catalogue.add_reports(store, [catalogue.Report("lab", "Labour")])
    mark_read(store, "lab", FIRST, None, 2, person="Ann")
    commit_import(store, make_issue(5, selected={"lab": [2]}), person="files")
    assert publications.published(store, "lab") == {}
