"""Duplicates that an issue doesn't list, and undoing a wrong match."""

from dataclasses import replace
from datetime import date

import numpy as np
import pytest
from sqlalchemy import select

from presort.data import catalogue
from presort.data.duplicates.listings import Duplicate, duplicates, separate
from presort.data.errors import RefusedError
from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.records import Report
from presort.data.tables import PaperDuplicateRow, PersonRow
from tests.data.intake.test_duplicates_in_imports import COPY, KNOWN, OTHER
from tests.data.workspaces import FIRST, SECOND, THIRD, contents, damage, ids, make_ranking, take_in


@pytest.fixture
def with_copy(store):
    """A known paper that is listed twice. The second issue contains a duplicate of this paper and another paper."""
    take_in(store, [KNOWN])
    take_in(store, [COPY, OTHER])
    take_in(store, [replace(KNOWN, issue=THIRD)])
    return store


def test_duplicates_name_their_originals(with_copy):
    (copy,) = duplicates(with_copy, SECOND)
    assert copy == Duplicate(COPY.paper, KNOWN.paper, "title and authors", copy.score, (THIRD, FIRST))
    assert 0.9 < copy.score < 1
    assert duplicates(with_copy, FIRST) == duplicates(with_copy, date(2000, 1, 3)) == []


def test_duplicates_are_in_import_order(with_copy):
    take_in(with_copy, [replace(COPY, paper=replace(COPY.paper, paper_id=f"z{9 - n}")) for n in range(3)])
    assert [copy.paper.paper_id for copy in duplicates(with_copy, SECOND)] == ["q1", "z9", "z8", "z7"]


def test_a_separated_paper_is_appended_to_the_list(with_copy):
    separate(with_copy, "q1", person="Ann")
    assert (ids(with_copy, SECOND), duplicates(with_copy, SECOND)) == (["q2", "q1"], [])
    with with_copy.reading() as connection:
        (row,) = connection.execute(
            select(PersonRow.name, PaperDuplicateRow.undone_at >= PaperDuplicateRow.made_at).join(
                PaperDuplicateRow, PaperDuplicateRow.undone_by == PersonRow.id
            )
        )
    assert tuple(row) == ("Ann", True)
    assert damage(with_copy) == []


def test_a_separated_paper_is_listed_in_every_issue_it_was_imported_with(with_copy):
    take_in(with_copy, [replace(COPY, issue=THIRD)])
    separate(with_copy, "q1", person="Ann")
    assert (ids(with_copy, SECOND), ids(with_copy, THIRD)) == (["q2", "q1"], ["p1", "q1"])


def test_a_separated_paper_stays_listed_when_its_file_is_imported_again(with_copy):
    separate(with_copy, "q1", person="Ann")
    before = contents(with_copy)
    assert take_in(with_copy, [COPY, OTHER]).matched == 0
    assert contents(with_copy) == before
    take_in(with_copy, [replace(COPY, issue=THIRD)])
    assert ids(with_copy, THIRD) == ["p1", "q1"]


def test_later_duplicates_of_a_separated_paper_are_found(with_copy):
    separate(with_copy, "q1", person="Ann")
    take_in(with_copy, [replace(COPY, paper=replace(COPY.paper, paper_id="q9"), issue=THIRD)])
    (copy,) = duplicates(with_copy, THIRD)
    assert (copy.paper.paper_id, copy.known.paper_id, copy.issues) == ("q9", "q1", (SECOND,))


@pytest.mark.parametrize("paper_id", ["q1", "q2", "p1", "nothing"])
def test_separating_a_paper_that_is_no_duplicate_is_refused(with_copy, paper_id):
    separate(with_copy, "q1", person="Ann")
    before = contents(with_copy)
    with pytest.raises(RefusedError, match=f"'{paper_id}' is not marked as a duplicate"):
        separate(with_copy, paper_id, person="Bo")
    assert contents(with_copy) == before


def test_a_separated_paper_is_last_in_an_older_ranking(with_copy):
    catalogue.add_reports(with_copy, [Report("lab", "Labour")])
    rankings.add_rankings(with_copy, [make_ranking(issue=SECOND, order=[1])])
    separate(with_copy, "q1", person="Ann")
    stored = rankings.newest_rankings(with_copy, "lab", SECOND)["krichel-2007"].ranking
    order = rankings.whole_order(stored.positions, len(catalogue.papers(with_copy, SECOND)))
    assert [ids(with_copy, SECOND)[position - 1] for position in order] == ["q2", "q1"]


def test_a_ranker_learns_from_listed_papers_only(with_copy):
    history = read_history(with_copy, THIRD)
    assert [paper.paper_id for paper in history.papers] == ["p1", "q2", "p1"]
    assert np.diff(history.starts).tolist() == [1, 1, 1]
