"""A server of review lists, and a list of its own for each test."""

import pytest

from desk.serving import launch
from tests.browser.review_list.lists import serving_list, write_list


@pytest.fixture(scope="session")
def lists(tmp_path_factory):
    """The folder of all lists, and the address of the server that shows them."""
    folder = tmp_path_factory.mktemp("lists")
    with serving_list(folder) as (_, port):
        yield folder, f"http://{launch.LOCALHOST}:{port}"


@pytest.fixture
def drawn(lists, request):
    """A list of its own for a test that shares the server: its folder and its address."""
    folder, address = lists
    name = request.node.name
    return write_list(folder / name), f"{address}/?list={name}"


@pytest.fixture
def quiet_page(page):
    """A page that may not complain."""
    complaints = []
    page.on("console", lambda message: message.type == "error" and complaints.append(message.text))
    yield page
    assert complaints == []
