import pytest

from data.demo import make_world
from data.publish import publish
from data.store import open_store


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
