"""Read papers: the same rule applies, whatever happens to the list afterwards."""

from dataclasses import replace
from threading import Thread
from typing import Any

import numpy as np
import pytest

from presort.data import catalogue
from presort.data.editing import decisions
from presort.data.editing.read_papers import add_draw, all_read_positions, draws, mark_read, read_positions
from presort.data.errors import RefusedError
from presort.data.learning.rankings import add_rankings
from presort.data.records import Draw, Report
from presort.data.rights import Right
from presort.data.store import Store, find_store
from tests.data.workspaces import FIRST, SECOND, make_issue, make_listed, make_ranking, say, send_out, take_in

OLD, NEW = [5, 3, 1, 2, 4, 6], [6, 5, 4, 3, 2, 1]


@pytest.fixture
def sorted_twice(store: Store) -> Store:
    """Issue of six papers with two rankings for lab: 1 in the order `OLD`, then 2 in the order `NEW`."""
    take_in(store, make_issue(6, selected={"his": [2]}), make_issue(3, SECOND))
    catalogue.add_reports(store, [Report("lab", "Labour")])
    add_rankings(store, [make_ranking(order=OLD), make_ranking(order=NEW)])
    return store


def read(store: Store, report: str = "lab") -> list[int]:
    return read_positions(store, report, FIRST).tolist()


def desk(paper: str, label: str = "no", shown: int | None = 1, **more: Any) -> object:
    """Add a decision like the review list: in a ranking, or in list order, with a unique client id."""
    return say("lab", paper, label, client_id=f"{paper} {label} {shown} {more}", shown=shown, **more)


def draw(store: Store, *positions: int, n_read: int = 0) -> None:
    add_draw(store, "lab", FIRST, Draw(1, n_read, 6, positions), person="Ann")


def test_nothing_is_read_before_anything_is_decided_at_the_desk(sorted_twice):
    assert read(sorted_twice) == read(sorted_twice, "his") == []
    assert all_read_positions(sorted_twice, ["his", "lab"]) == {}


def test_a_list_is_read_down_to_the_deepest_decision(sorted_twice):
    decisions.decide(sorted_twice, [desk("a5"), desk("a1", "yes")])
    assert read(sorted_twice) == [1, 3, 5]


def test_ranking_again_and_publishing_keep_read_papers(sorted_twice):
    decisions.decide(sorted_twice, [desk("a1")])
    decisions.decide(sorted_twice, [desk("a6", shown=2)])
    assert read(sorted_twice) == [1, 3, 5, 6]
    decisions.decide(sorted_twice, [desk("a1", "yes", shown=2)])  # seen again, deeper in the new order
    assert read(sorted_twice) == [1, 2, 3, 4, 5, 6]
    send_out(sorted_twice, "lab", shown=2)
    assert read(sorted_twice) == [1, 2, 3, 4, 5, 6]


def test_a_decision_on_a_paper_found_by_a_search_counts_for_this_paper_only(sorted_twice):
    decisions.decide(sorted_twice, [desk("a5"), desk("a4", "yes", is_alone=True)])
    assert read(sorted_twice) == [4, 5]
    assert all_read_positions(sorted_twice, ["his", "lab"])["lab", FIRST].tolist() == [4, 5]
    decisions.decide(sorted_twice, [desk("a4", "maybe")])  # passed again on the way down
    assert read(sorted_twice) == [1, 2, 3, 4, 5]


def test_a_decision_in_list_order_counts_in_list_order(sorted_twice):
    decisions.decide(sorted_twice, [desk("a2", shown=None)])
    assert read(sorted_twice) == [1, 2]


def test_an_undone_decision_does_not_count_as_reading(sorted_twice):
    decisions.decide(sorted_twice, [desk("a5"), desk("a4")])
    decisions.decide(sorted_twice, [desk("a4", "undecided")])
    assert read(sorted_twice) == [5]
    decisions.decide(sorted_twice, [desk("a4", "yes", shown=2)])
    assert read(sorted_twice) == [4, 5, 6]


def test_a_read_mark_is_replaced_by_the_same_persons_next_one_in_the_same_list(sorted_twice):
    mark_read(sorted_twice, "lab", FIRST, 1, 4, person="Ann")
    assert read(sorted_twice) == [1, 2, 3, 5]
    mark_read(sorted_twice, "lab", FIRST, 1, 2, person="Ann")
    assert read(sorted_twice) == [3, 5]
    mark_read(sorted_twice, "lab", FIRST, 2, 1, person="Ann")
    mark_read(sorted_twice, "lab", FIRST, 1, 1, person="Bo")
    mark_read(sorted_twice, "lab", FIRST, None, 1, person="Bo")
    assert read(sorted_twice) == [1, 3, 5, 6]


def test_papers_drawn_are_read_only_where_they_are_decided_or_passed(sorted_twice):
    draw(sorted_twice, 4, 6)
    assert read(sorted_twice) == []
    decisions.decide(sorted_twice, [desk("a6"), desk("a5")])
    assert read(sorted_twice) == [5, 6]
    mark_read(sorted_twice, "lab", FIRST, 1, 5, person="Ann")
    assert read(sorted_twice) == [1, 2, 3, 4, 5, 6]


def test_a_paper_that_joined_later_keeps_its_place(sorted_twice):
    take_in(sorted_twice, [make_listed("late"), make_listed("later")])
    decisions.decide(sorted_twice, [desk("late")])
    assert read(sorted_twice) == [1, 2, 3, 4, 5, 6, 7]
    mark_read(sorted_twice, "lab", FIRST, 1, 8, person="Ann")
    assert read(sorted_twice) == [1, 2, 3, 4, 5, 6, 7, 8]


def test_imports_and_publications_do_not_count_as_reading(sorted_twice):
    decisions.decide(sorted_twice, [replace(desk("a3", "yes"), source="file"), desk("a5", "yes", about="publish")])
    assert read(sorted_twice) == []


def test_reading_all_report_issues_at_once_gives_the_same_result(sorted_twice):
    catalogue.add_reports(sorted_twice, [Report("mac", "Macro")])
    decisions.decide(sorted_twice, [desk("a1"), say("mac", "a2", "no", client_id="m"), say("lab", "b1", "no", SECOND)])
    mark_read(sorted_twice, "lab", SECOND, None, 2, person="Ann")
    draw(sorted_twice, 2)
    found = {key: positions.tolist() for key, positions in all_read_positions(sorted_twice, ["mac", "lab"]).items()}
    assert found == {("lab", FIRST): [1, 3, 5], ("mac", FIRST): [1, 2], ("lab", SECOND): [1, 2]}
    assert list(all_read_positions(sorted_twice, ["his", "lab"], SECOND)) == [("lab", SECOND)]


def test_each_draw_is_kept_in_order(sorted_twice):
    draw(sorted_twice, 4)
    draw(sorted_twice, 2, 6, n_read=1)
    assert draws(sorted_twice, "lab", FIRST) == [Draw(1, 0, 6, (4,)), Draw(1, 1, 6, (2, 6))]


def test_two_simultaneous_draws_are_both_kept(sorted_twice):
    """The second draw starts during the first transaction, waits, and draws from the remaining papers."""

    def draw_two(store):
        with store.transaction(Right.EDIT, "lab") as transaction:
            before = draws(transaction, "lab", FIRST)
            taken = [*read(transaction), *(position for one in before for position in one.positions)]
            rest = np.setdiff1d(np.arange(1, 7), taken)
            if store is not other:
                bo.start()
            drawn = Draw(1, len(before), len(rest), tuple(rest[:2].tolist()))
            add_draw(transaction, "lab", FIRST, drawn, person="Ann")

    other = find_store(sorted_twice.folder)
    bo = Thread(target=lambda: draw_two(other))
    draw_two(sorted_twice)
    bo.join()
    other.close()
    assert [one.positions for one in draws(sorted_twice, "lab", FIRST)] == [(1, 2), (3, 4)]


def test_a_published_report_issue_accepts_no_marks_or_draws(sorted_twice):
    send_out(sorted_twice, "lab", shown=1)
    with pytest.raises(RefusedError, match="was published on"):
        mark_read(sorted_twice, "lab", FIRST, 1, 3, person="Ann")
    with pytest.raises(RefusedError, match="was published on"):
        draw(sorted_twice, 4)
    assert read(sorted_twice) == []
    assert draws(sorted_twice, "lab", FIRST) == []
