from pathlib import Path

import pytest
import streamlit as st
from streamlit.testing.v1 import AppTest

from data import catalogue
from data.demo import make_world
from data.preferences import set_preference
from data.publish import publish
from data.store import open_store
from desk import access, settings, workflow
from ranker.versions import RECIPES

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(scope="session")
def listings():
    """Eight small issues, the last undecided, of the made-up service."""
    return make_world(seed=3, n_issues=8, papers_per_issue=40).listings


@pytest.fixture
def empty_store(tmp_path):
    store = open_store(tmp_path / "empty")
    yield store
    store.close()


@pytest.fixture
def store(tmp_path, listings):
    """A workspace with those issues and what was selected from all but the last."""
    store = open_store(tmp_path / "workspace")
    publish(store, listings, person="import")
    yield store
    store.close()


@pytest.fixture
def newest(listings):
    return listings[-1].issue


@pytest.fixture
def ranked(store):
    list(workflow.rank(store, [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]], reports=["lab", "mac"]))
    return store


@pytest.fixture
def finished(store):
    """A workspace with the newest issue sorted, and the outcomes of earlier ones that the same ranker sorted."""
    days = [issue.date for issue in catalogue.issues(store)]
    fast = RECIPES["krichel-2007"]
    list(workflow.replay(store, [fast], first=days[1], last=days[-2], retrain_every=9))
    list(workflow.rank(store, [fast], reports=["lab", "mac"]))
    return store


@pytest.fixture
def no_cache():
    yield
    st.cache_resource.clear()
    st.cache_data.clear()


@pytest.fixture
def open_page(monkeypatch, no_cache):
    """Run a page, or the whole app, on a workspace."""

    def run(page, store, **query):
        monkeypatch.setenv(settings.WORKSPACE, str(store.path.parent))
        test = AppTest.from_file(page) if isinstance(page, Path) else AppTest.from_function(page)
        for name, value in query.items():
            test.query_params[name] = str(value)
        return test.run(timeout=30)

    return run


@pytest.fixture
def open_plain(open_page):
    """Run a page for somebody who prefers plain widgets."""

    def run(page, store, **query):
        set_preference(store, access.current_person(), "plain", "true")
        return open_page(page, store, **query)

    return run
