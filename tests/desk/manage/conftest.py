"""The *Manage* page."""

import pytest

from tests.desk.manage.managing import page_of_manage


@pytest.fixture
def open_manage(open_page):
    def run(store, part, **query):
        return open_page(page_of_manage, store, part=part, **query)

    return run
