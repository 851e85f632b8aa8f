"""Settings of the clients of the API, and of webhooks."""

import base64

import pytest

from presort.data.errors import RefusedError
from presort.desk import settings
from presort.desk.settings.api import Client, Webhook, api_clients, webhooks


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


KEY = bytes(range(32))
SECRET = f"whsec_{base64.b64encode(KEY).decode()}"
HOOK = "[[webhook]]\nurl = '{}'\nsecret = '{}'\n"


def test_webhooks_are_tables(write):
    write("")
    assert webhooks() == ()
    write(HOOK.format("https://a.example/x", SECRET) + HOOK.format("http://b.local:8080/y", SECRET) + "private = true")
    assert webhooks() == (
        Webhook("https://a.example/x", KEY),
        Webhook("http://b.local:8080/y", KEY, is_private=True),
    )
    assert [one.host for one in webhooks()] == ["a.example", "b.local"]
    assert settings.has_password()
    assert "/x" not in repr(webhooks())


@pytest.mark.parametrize(
    ("text", "says"),
    [
        pytest.param(HOOK.format("http://a.example/s3cret", SECRET), "a.example must begin with https", id="http"),
        pytest.param(HOOK.format("ftp://a.example/s3cret", SECRET), "not a web address", id="ftp"),
        pytest.param(HOOK.format("https://ann:s3cret@a.example/", SECRET), "contains a user name", id="password"),
        pytest.param(HOOK.format("", SECRET), "not a web address", id="no-url"),
        pytest.param(HOOK.format("https://a.example/s3cret", ""), "secret for a.example", id="no-secret"),
        pytest.param(HOOK.format("https://a.example", "whsec_c2hvcnQ="), "24 random bytes", id="short"),
        pytest.param(HOOK.format("https://a.example", SECRET.removeprefix("whsec_")), "whsec_", id="prefix"),
        pytest.param(HOOK.format("https://a.example", "whsec_s3cret!"), "base64", id="no-base64"),
        pytest.param(HOOK.format("https://a.example/s3cret", SECRET) * 2, "the same url", id="twice"),
        pytest.param(HOOK.format("https://a.example", SECRET) + "private = 1", "must be true or false", id="private"),
        pytest.param(HOOK.format("https://a.example", SECRET) + "urls = 's3cret'", "unknown key urls", id="key"),
        pytest.param("[webhook]\nurl = 's3cret'", "unknown setting webhook.url", id="no-list"),
    ],
)
def test_a_wrong_webhook_is_named_without_its_secrets(write, text, says):
    write(text)
    with pytest.raises(RefusedError, match=says) as refused:
        webhooks()
    for secret in ("s3cret", SECRET):
        assert secret not in str(refused.value)
