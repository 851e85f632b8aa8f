"""A local sign-in provider, a client that signs in, and the log."""

import logging

import pytest

from presort.desk.web import sign_in
from tests.desk.web.openid_provider import provided
from tests.desk.web.sign_in_client import DESK, new_browser


@pytest.fixture(scope="module")
def running_provider():
    with provided() as provider:
        yield provider


@pytest.fixture
def provider(running_provider):
    running_provider.reset()
    return running_provider


@pytest.fixture
def browser(provider, empty_store):
    """Client of a desk that doesn't follow redirects."""
    return new_browser(provider.settings(DESK), empty_store)


@pytest.fixture
def causes(caplog):
    caplog.set_level(logging.INFO, sign_in.LOG.name)
    return lambda: [record.getMessage() for record in caplog.records if record.name == sign_in.LOG.name]
