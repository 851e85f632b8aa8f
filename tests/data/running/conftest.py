from contextlib import closing

import pytest

from presort.data import catalogue
from presort.data.store import open_store
from tests.data.filled_workspace import fill


@pytest.fixture
def url(schemas):
    return schemas.lasting()


@pytest.fixture
def full(tmp_path):
    """Folder of a workspace with rows in every table. Some numbers were assigned and their rows deleted."""
    fill(tmp_path)
    with closing(open_store(tmp_path)) as store:
        catalogue.workspace_id(store)
    return tmp_path
