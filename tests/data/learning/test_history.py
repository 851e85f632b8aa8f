"""Reading the history: all papers, and texts only if requested."""

from datetime import timedelta

import pytest

from presort.data.learning.history import read_history
from presort.data.learning.tokens import keep_tokens
from presort.data.records import PaperTokens
from presort.data.store import Store
from tests.data.workspaces import FIRST, SECOND, make_issue, take_in


@pytest.fixture
def two_issues(store: Store) -> Store:
    take_in(store, make_issue(2), make_issue(2, SECOND))
    return store


def test_only_ids_are_read_of_papers_before_a_date(two_issues):
    keep_tokens(two_issues, lambda paper: PaperTokens([paper.title], [], [], []), "1")
    whole = read_history(two_issues, SECOND, tokens="1")
    later = read_history(two_issues, SECOND, tokens="1", texts_from=SECOND)
    assert [paper.paper_id for paper in later.papers] == [paper.paper_id for paper in whole.papers]
    assert all(paper.title for paper in whole.papers)
    assert [bool(paper.title) for paper in later.papers] == [False, False, True, True]
    assert [*later.papers[2:]] == [*whole.papers[2:]]
    assert later.starts.tolist() == whole.starts.tolist() == [0, 2, 4]


@pytest.mark.parametrize("version", [None, "1", "2"])
def test_without_stored_tokens_all_texts_are_read(two_issues, version):
    keep_tokens(two_issues, lambda paper: PaperTokens([], [], [], []), "other")
    history = read_history(two_issues, SECOND, tokens=version, texts_from=SECOND)
    assert history.tokens is None
    assert all(paper.title for paper in history.papers)


def test_the_history_of_an_empty_workspace_has_empty_tokens(two_issues):
    keep_tokens(two_issues, lambda paper: PaperTokens([paper.title], [], [], []), "1")
    history = read_history(two_issues, FIRST - timedelta(days=1), tokens="1")
    assert (len(history.papers), len(history.tokens), history.starts.tolist()) == (0, 0, [0])
