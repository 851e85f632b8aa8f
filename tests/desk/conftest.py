import shutil
import sqlite3
from contextlib import closing
from functools import cache
from itertools import groupby
from pathlib import Path

import pytest
import streamlit as st
from streamlit import config
from streamlit.components.v2 import manifest_scanner
from streamlit.testing.v1 import AppTest

import presort.data.store
from presort.data import catalogue
from presort.data.demo import make_world
from presort.data.editing.preferences import set_preference
from presort.data.intake.commit_import import commit_import
from presort.data.learning.tokens import keep_tokens
from presort.data.store import FILE_NAME, open_store
from presort.data.workspace.sqlite import SqliteDatabase
from presort.desk import access, settings
from presort.desk.service import vectors, workflow
from presort.desk.ui import reranking
from presort.ranker.tokens import TOKENISATION, tokenise
from presort.ranker.versions import RECIPES
from tests.desk.sentence_models import make_model
from tests.idle_queue import IdleQueue

APP = Path(__file__).parents[2] / "app.py"


@pytest.fixture(scope="session", autouse=True)
def components_sought_once():
    """Read the metadata of installed packages once, not for every page. Streamlit searches them for components."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(manifest_scanner, "scan_component_manifests", cache(manifest_scanner.scan_component_manifests))
        yield


@pytest.fixture(scope="session", autouse=True)
def nothing_counted():
    """Disable usage statistics, like the desk."""
    config.set_option("browser.gatherUsageStats", False)


@pytest.fixture(autouse=True)
def tables_made_once(empty_workspace, monkeypatch):
    """Copy the tables of a new workspace, because running all migrations takes a fifth of a second."""
    migrate = presort.data.store.migrate

    def migrated(store):
        if isinstance(store.database, SqliteDatabase) and not store.database.path.stat().st_size:
            with (
                closing(sqlite3.connect(empty_workspace / FILE_NAME)) as made,
                closing(sqlite3.connect(store.database.path)) as new,
            ):
                made.backup(new)
        migrate(store)

    monkeypatch.setattr(presort.data.store, "migrate", migrated)


@pytest.fixture(scope="session")
def listings():
    """Eight small issues of a synthetic service. The last has no decisions."""
    return make_world(seed=3, n_issues=8, papers_per_issue=40).listings


@pytest.fixture(scope="session")
def filled_workspace(tmp_path_factory, empty_workspace, listings):
    """The synthetic issues, the selections of all but the last, and their tokens, as after an import."""
    folder = shutil.copytree(empty_workspace, tmp_path_factory.mktemp("filled") / "workspace")
    with closing(open_store(folder)) as store:
        # one import per issue, because a report can be late only for issues that were added after it
        for _, issue in groupby(listings, key=lambda one: one.issue):
            commit_import(store, list(issue), person="import")
        keep_tokens(store, tokenise, TOKENISATION)
    return folder


@pytest.fixture(scope="session")
def ranked_workspace(tmp_path_factory, filled_workspace):
    """Workspace whose newest issue is ranked by two rankers."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("ranked") / "workspace")
    with closing(open_store(folder)) as store:
        list(workflow.rank(store, [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]], reports=["lab", "mac"]))
    return folder


@pytest.fixture(scope="session")
def finished_workspace(tmp_path_factory, filled_workspace):
    """Workspace with a ranking of the newest issue, and outcomes of earlier issues by the same ranker."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("finished") / "workspace")
    fast = RECIPES["krichel-2007"]
    with closing(open_store(folder)) as store:
        days = [issue.date for issue in catalogue.issues(store)]
        list(workflow.replay(store, [fast], first=days[1], last=days[-2], retrain_every=9))
        list(workflow.rank(store, [fast], reports=["lab", "mac"]))
    return folder


@pytest.fixture(scope="session")
def replayed_workspace(tmp_path_factory, filled_workspace):
    """Workspace in which two rankers, trained once, replayed all issues but the first and the newest."""
    folder = shutil.copytree(filled_workspace, tmp_path_factory.mktemp("replayed") / "workspace")
    recipes = [RECIPES["krichel-2007"], RECIPES["arxiv-sanity"]]
    with closing(open_store(folder)) as store:
        days = [issue.date for issue in catalogue.issues(store)]
        list(workflow.replay(store, recipes, first=days[1], last=days[-2], retrain_every=9))
    return folder


@pytest.fixture
def store(tmp_path, request):
    """Copy of the largest workspace that the test uses."""
    wanted = ("behind", "replayed", "finished", "ranked", "filled")
    kind = next((kind for kind in wanted if kind in request.fixturenames), "filled")
    store = open_store(shutil.copytree(request.getfixturevalue(f"{kind}_workspace"), tmp_path / "workspace"))
    yield store
    store.close()


@pytest.fixture
def has_vectors(store, tmp_path):
    """Compute sentence vectors for the workspace, so that all rankers can be used."""
    list(vectors.make_vectors(store, make_model(tmp_path / "small")))


@pytest.fixture
def newest(listings):
    return listings[-1].issue


@pytest.fixture
def ranked(store):
    return store


@pytest.fixture
def finished(store):
    return store


@pytest.fixture(autouse=True)
def nothing_beside(monkeypatch):
    """Disable background ranking, training and scoring. Tests of the queue request the real queue."""
    monkeypatch.setattr("presort.desk.ui.cache.refresh", lambda: None)
    monkeypatch.setattr(reranking, "BackgroundJobs", IdleQueue)


@pytest.fixture
def replayed(store):
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
        monkeypatch.setenv(settings.WORKSPACE, str(store.folder))
        make = AppTest.from_file if isinstance(page, Path) else AppTest.from_function
        test = make(page, default_timeout=30)
        for name, value in query.items():
            test.query_params[name] = str(value)
        return test.run(timeout=30)

    return run


@pytest.fixture
def open_plain(open_page):
    """Run a page for a user with plain widgets."""

    def run(page, store, **query):
        set_preference(store, access.PERSON, "plain", "true")
        return open_page(page, store, **query)

    return run
