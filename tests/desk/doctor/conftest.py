import pytest

from tests.desk.web.openid_provider import provided


@pytest.fixture
def provider():
    """A local OpenID provider with one registered client."""
    with provided() as found:
        yield found
