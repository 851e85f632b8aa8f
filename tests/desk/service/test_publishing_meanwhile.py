"""Changes between the click on *Publish* and the lock: nothing unseen is published or counts as read."""

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, closing
from copy import copy
from dataclasses import replace
from datetime import date
from functools import partial
from typing import Any

import pytest

from presort.data import catalogue
from presort.data.editing import decisions, drafts, publications
from presort.data.editing.read_papers import mark_read
from presort.data.errors import OutdatedError, RefusedError
from presort.data.learning import rankings
from presort.data.learning.history import read_history
from presort.data.records import Decision, Draft, StoredRanking
from presort.data.rights import Right
from presort.data.running.moves import move_to_server
from presort.data.store import Connection, Store, open_store
from presort.desk.service import workflow
from presort.desk.session.progress import shown_order
from presort.desk.session.publication import read_pending_publication
from tests.data.workspaces import make_listed, take_in

RANKER = "krichel-2007"
ON_SERVER = partial(pytest.param, "postgresql", marks=pytest.mark.whole)  # a case for each kind of lock


class Interrupted(Store):
    """Store in which other users act once, right before the next write transaction begins."""

    act: Callable[[], object] | None = None

    def writing(self, right: Right = Right.MANAGE, *of: str) -> AbstractContextManager[Connection]:
        act, Interrupted.act = Interrupted.act, None
        if act is not None:
            act()
        return super().writing(right, *of)


@pytest.fixture
def both(request: pytest.FixtureRequest, finished: Store) -> Iterator[tuple[Store, Store]]:
    """Two stores of one workspace, as in two processes. Other users act once while the first begins to write."""
    address = ""
    if getattr(request, "param", "file") == "postgresql":
        address = request.getfixturevalue("schemas").lasting()
        finished.close()
        move_to_server(finished.folder, address)
    with closing(open_store(finished.folder, address)) as other, closing(open_store(finished.folder, address)) as one:
        interrupted: Any = copy(one)
        interrupted.__class__ = Interrupted
        yield interrupted, other
    Interrupted.act = None


def read_down(store: Store, newest: date, *, is_sorted: bool = True) -> StoredRanking | None:
    """Read the whole list and mark its first paper as relevant. Returns the shown ranking."""
    shown = rankings.newest_rankings(store, "lab", newest)[RANKER] if is_sorted else None
    number = None if shown is None else shown.id
    papers = catalogue.papers(store, newest)
    first = papers[shown_order(shown, len(papers))[0] - 1].paper_id
    decisions.decide(store, [Decision("lab", newest, first, "yes", "ada", "c1", ranking_id=number)])
    mark_read(store, "lab", newest, number, len(papers), person="ada")
    return shown


@pytest.mark.parametrize(("both", "is_sorted"), [("file", True), ("file", False), ON_SERVER(True)], indirect=["both"])
def test_papers_added_by_an_import_during_publication_count_as_unread(both, newest, is_sorted):
    store, other = both
    shown = read_down(store, newest, is_sorted=is_sorted)
    n_before = len(catalogue.papers(store, newest))
    Interrupted.act = lambda: take_in(other, [make_listed(f"late{n}", newest) for n in range(30)])
    workflow.publish_report_issue(store, "lab", newest, shown, person="ada")
    published_issue = publications.published(store, "lab")[newest]
    later = list(range(n_before + 1, n_before + 31))
    assert (published_issue.n_papers, list(published_issue.review_progress.unread)) == (n_before + 30, later)
    history = read_history(store, newest)
    silent = history.maybe["lab"] - history.starts[-2] + 1
    assert silent[silent > 0].tolist() == later


@pytest.mark.parametrize(
    ("both", "change"),
    [*(("file", change) for change in ("relevant", "maybe", "note", "left-out")), ON_SERVER("relevant")],
    indirect=["both"],
)
def test_changes_of_another_window_during_publication_are_not_published_unseen(both, newest, change):
    store, other = both
    shown = read_down(store, newest)
    seen = read_pending_publication(store, "lab", newest, shown).approved_state
    papers = catalogue.papers(store, newest)
    second, first = papers[shown.ranking.positions[1] - 1].paper_id, papers[shown.ranking.positions[0] - 1].paper_id
    problems = {
        "relevant": [Decision("lab", newest, second, "yes", "bo")],
        "maybe": [Decision("lab", newest, second, "maybe", "bo")],
        "left-out": [Decision("lab", newest, first, "no", "bo", about="publish")],
    }

    def changing():
        if change == "note":
            drafts.save_draft(other, Draft("lab", newest, note="From Bo."), person="bo")
        else:
            decisions.decide(other, problems[change])

    Interrupted.act = changing
    with pytest.raises(OutdatedError, match="changed in another window"):
        workflow.publish_report_issue(store, "lab", newest, shown, person="ada", approved=seen)
    assert newest not in publications.published(store, "lab")
    again = read_pending_publication(store, "lab", newest, shown).approved_state
    workflow.publish_report_issue(store, "lab", newest, shown, person="ada", approved=again)
    assert publications.published(store, "lab")[newest].published == again.published


@pytest.mark.parametrize("both", ["file", ON_SERVER()], indirect=True)
def test_a_report_is_published_once_after_two_simultaneous_clicks(both, newest):
    store, other = both
    shown = read_down(store, newest)
    Interrupted.act = lambda: workflow.publish_report_issue(other, "lab", newest, shown, person="bo")
    with pytest.raises(RefusedError, match="was published on"):
        workflow.publish_report_issue(store, "lab", newest, shown, person="ada")
    assert publications.published(store, "lab")[newest].person == "bo"


def test_a_note_and_an_order_from_two_windows_are_both_kept(both, newest):
    store, other = both
    shown = read_down(store, newest)
    first = int(shown.ranking.positions[0])

    def change(which: Store, **part: Any) -> None:
        changed = drafts.DraftChange("lab", newest, lambda draft: replace(draft, **part))
        drafts.save_draft(which, changed, person="ada")

    Interrupted.act = lambda: change(other, note="From Bo.")
    change(store, order=(first,))
    assert drafts.draft(store, "lab", newest) == Draft("lab", newest, (first,), "From Bo.")
