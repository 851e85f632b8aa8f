"""Settings of the clients of the API."""

import pytest

from presort.data.errors import RefusedError
from presort.desk import settings
from presort.desk.api_settings import Client, api_clients


@pytest.fixture
def write(tmp_path, monkeypatch):
    """Write a file of settings in the current folder, where nothing else is set."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv(settings.FILE, raising=False)
    return (tmp_path / "presort.toml").write_text


CLIENT = "[[api.client]]\nname = '{}'\ntoken = '{}'\n"
A, B = "random-token-of-the-library", "random-token-of-the-archive"


def test_clients_of_the_api_are_tables(write):
    write("")
    assert api_clients() == ()
    assert not settings.has_password()
    write(CLIENT.format("Library", A) + CLIENT.format("Archive", B))
    assert api_clients() == (Client("Library", A), Client("Archive", B))
    assert settings.has_password()
    assert A not in repr(api_clients())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(CLIENT.format("Library", "s3cret-and-too-shor"), "'Library' is too short", id="short"),
        pytest.param(CLIENT.format("Library", "s3cret with spaces in it"), "'Library' may only contain", id="spaces"),
        pytest.param(CLIENT.format(" ", A), "no name", id="nameless"),
        pytest.param(CLIENT.format("a", A) + CLIENT.format("a", B), "two clients are named 'a'", id="name-twice"),
        pytest.param(CLIENT.format("a", A) + CLIENT.format("b", A), "the same token", id="token-twice"),
        pytest.param("[[api.client]]\nname = 'a'\ntoken = 12345678901234567890", "'token' must be a string", id="int"),
        pytest.param(CLIENT.format("a", A) + "toke = 's3cret'", "unknown key toke", id="key"),
        pytest.param("[api]\nclient = 5", "must be a list of tables", id="no-table"),
        pytest.param("[api]\nclients = 's3cret'", "unknown setting api.clients", id="plural"),
    ],
)
def test_a_wrong_client_is_named_without_its_token(write, text, says):
    write(text)
    with pytest.raises(RefusedError, match=says) as refused:
        api_clients()
    for secret in ("s3cret", A, "12345678901234567890"):
        assert secret not in str(refused.value)
