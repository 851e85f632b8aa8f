import pytest

from tests.desk.web.openid_provider import provided


@pytest.fixture
def provider():
    """A provider that knows one client."""
    with provided() as found:
        yield found
