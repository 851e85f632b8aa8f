"""A sorted issue on the desk, and a list of it."""

from concurrent.futures import Future

import pytest

from data import catalogue
from data.learning import rankings
from desk.sheet.progress import Sheet, shown_order
from desk.sheet.recalls import recalls_before
from desk.sheet.receiver import Receiver


@pytest.fixture
def sheet(ranked, newest):
    shown = rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"]
    papers = catalogue.papers(ranked, newest)
    recall = recalls_before(ranked, "krichel-2007", newest)["lab"]
    return Sheet("lab", newest, papers, shown, shown_order(shown, len(papers)), recall)


@pytest.fixture
def desk(store, sheet):
    """A list of one person, whose questions are never answered."""

    def open_list(person="ada", ask=lambda paper: Future()):
        return Receiver(store, sheet, person, ask)

    return open_list
