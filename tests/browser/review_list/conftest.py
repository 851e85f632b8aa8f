"""Server of review lists, and a separate list for each test."""

import pytest

from presort.desk.web import launch
from tests.browser.review_list.lists import N_PAPERS, serving_list, write_list


@pytest.fixture(scope="session")
def lists(tmp_path_factory):
    """Folder of all lists, and the address of the server that shows them."""
    folder = tmp_path_factory.mktemp("lists")
    with serving_list(folder) as (_, port):
        yield folder, f"http://{launch.LOCALHOST}:{port}"


@pytest.fixture
def drawn(lists, request):
    """Separate list for a test that shares the server: its folder and its address."""
    return _draw(lists, request.node.name, N_PAPERS)


@pytest.fixture
def drawn_long(lists, request):
    """The same with as many papers as a large issue, for effects of the length."""
    return _draw(lists, request.node.name, 969)


def _draw(lists, name, n_papers):
    folder, address = lists
    return write_list(folder / name, n_papers), f"{address}/?list={name}"


@pytest.fixture
def quiet_page(page):
    """Page that must not report errors."""
    complaints = []
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    yield page
    assert complaints == []
