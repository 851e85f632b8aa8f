"""A ranked issue, and a review session of its list."""

from concurrent.futures import Future

import pytest

from presort.data import catalogue
from presort.data.learning import rankings
from presort.desk.session.progress import ReviewContext, relevance_models_before, shown_order
from presort.desk.session.review_session import ReviewSession


@pytest.fixture
def sheet_of():
    """Open the newest ranking of an issue for lab."""

    def open_sheet(store, issue):
        shown = rankings.newest_rankings(store, "lab", issue)["krichel-2007"]
        papers = catalogue.papers(store, issue)
        relevance_model = relevance_models_before(store, "krichel-2007", issue)["lab"]
        return ReviewContext("lab", issue, papers, shown, shown_order(shown, len(papers)), relevance_model)

    return open_sheet


@pytest.fixture
def context(ranked, newest, sheet_of):
    return sheet_of(ranked, newest)


@pytest.fixture
def desk(store, context):
    """Review session of one editor, without answers to explanation requests."""

    def open_list(person="ada", ask=lambda paper: Future()):
        return ReviewSession(store, context, person, ask)

    return open_list
