"""The *Publish* page, and a report issue before publication."""

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.editing.publications import reopen
from presort.data.learning import rankings
from presort.data.records import Decision
from presort.desk import settings
from presort.desk.publish.publication import TEXT
from presort.desk.service import workflow
from presort.ranker.versions import RECIPES


def publish_page():
    from presort.desk.publish import page as publish

    publish.show()


@pytest.fixture(autouse=True)
def no_cache():
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def open_page(monkeypatch):
    def run(store, page=publish_page, **query):
        monkeypatch.setenv(settings.WORKSPACE, str(store.folder))
        test = AppTest.from_function(page, default_timeout=30)
        for name, value in {"report": "lab", **query}.items():
            test.query_params[name] = str(value)
        test.session_state["written-as"] = TEXT
        return test.run(timeout=30)

    return run


@pytest.fixture
def ranked(store):
    list(workflow.rank(store, [RECIPES["krichel-2007"]], reports=["lab"]))
    return store


@pytest.fixture
def shown(ranked, newest):
    return rankings.newest_rankings(ranked, "lab", newest)["krichel-2007"]


@pytest.fixture
def chosen(ranked, newest, shown):
    """List positions of four relevant papers, at places 1, 2, 4 and 9 of the presorted list."""
    positions = [int(shown.ranking.positions[place - 1]) for place in (1, 2, 4, 9)]
    papers = catalogue.papers(ranked, newest)
    entries = [Decision("lab", newest, papers[p - 1].paper_id, "yes", "editor", ranking_id=shown.id) for p in positions]
    decisions.decide(ranked, entries)
    return positions


@pytest.fixture
def open_older(ranked, newest):
    """Reopen the newest issue that lab published, and remove all its relevant papers."""
    day = max(publications.published(ranked, "lab"))
    reopen(ranked, "lab", day, "One is missing.", person="ada")
    decided = decisions.labels(ranked, "lab", day)
    decisions.decide(ranked, [Decision("lab", day, paper, "no", "ada") for paper in decided])
    return day
