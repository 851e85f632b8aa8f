"""Validated settings for API clients and webhooks, which are lists of tables in presort.toml, and URLs of the API."""

import binascii
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date
from hashlib import sha256
from urllib.parse import quote, urlsplit

from presort.data.errors import RefusedError
from presort.data.harvest.addresses import split_url
from presort.data.harvest.errors import HarvestError
from presort.data.text.cleaning import clean
from presort.desk.settings.server import SHORTEST, desk_url
from presort.desk.settings.sources import API_CLIENTS, WEBHOOKS, name_of, refuse_unknown, tables_of, text_of

API = "/api/v1"  # path of the API; a change that breaks clients needs a new version number
BEARER = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # characters that RFC 6750 allows in a bearer token
EXAMPLE = "https://example.org/hook"
OF_CLIENT = ("name", "token")
OF_WEBHOOK = ("url", "secret", "private")
PREFIX = "whsec_"  # a secret in the Standard Webhooks format begins with this prefix, followed by base64
FEWEST_BYTES = 24  # minimum length of a webhook secret, as in Standard Webhooks


@dataclass(frozen=True)
class Client:
    """API client with its bearer token, which is left out of the repr."""

    name: str
    token: str = field(repr=False)


@dataclass(frozen=True)
class Webhook:
    """Receiver of messages about published report issues.

    Attributes
    ----------
    url : str
        The receiver's address. It may contain a secret, so it is left out of the repr.
    secret : bytes
        Key used to sign messages. It is left out of the repr.
    is_private : bool
        True if the receiver may be in a private network and may use unencrypted http.
    """

    url: str = field(repr=False)
    secret: bytes = field(repr=False)
    is_private: bool = False

    @property
    def host(self) -> str:
        """The receiver's host, used in messages."""
        return urlsplit(self.url).hostname or ""

    @property
    def key(self) -> str:
        """Key that identifies the webhook in files. It doesn't contain any secrets."""
        return sha256(self.url.encode()).hexdigest()[:16]


def api_clients() -> tuple[Client, ...]:
    """Read the API clients from the settings. Returns an empty result if the API is disabled.

    Raises
    ------
    RefusedError
        If a client lacks a name or a token, a token is short enough to be guessed, or two clients have the same name
        or token. The message doesn't quote a token.
    """
    clients = tuple(map(_client, tables_of(API_CLIENTS)))
    where = name_of(API_CLIENTS)
    if twice := [name for name, n in Counter(one.name for one in clients).items() if n > 1]:
        raise RefusedError(f"{where}: two clients are named {twice[0]!r}. Rename one of them.")
    if len({one.token for one in clients}) < len(clients):
        raise RefusedError(f"{where}: two clients have the same token. Generate a new token for one of them.")
    return clients


def api_url() -> str:
    """Return the API's address without a trailing slash. If the desk has no address, only the path is returned."""
    return f"{desk_url() or ''}{API}"


def report_issue_url(report: str, issue: date) -> str:
    """Return the API address of a published report issue."""
    return f"{api_url()}/report-issues/{quote(report, safe='')}/{issue}"


def webhooks() -> tuple[Webhook, ...]:
    """Read the webhooks from the settings.

    Raises
    ------
    RefusedError
        If a webhook has an invalid address or secret, or two webhooks have the same address. The message quotes neither
        addresses nor secrets.
    """
    found = tuple(map(_webhook, tables_of(WEBHOOKS)))
    if len({one.url for one in found}) < len(found):
        raise RefusedError(f"{name_of(WEBHOOKS)}: two webhooks have the same url. Remove one of them.")
    return found


def _webhook(table: Mapping[str, object]) -> Webhook:
    where = name_of(WEBHOOKS)
    refuse_unknown(where, table, OF_WEBHOOK)
    url, secret, is_private = text_of(where, table, "url"), text_of(where, table, "secret"), table.get("private", False)
    if not isinstance(is_private, bool):
        raise RefusedError(f"{where}: 'private' must be true or false.")
    try:
        scheme, host = split_url(url).scheme, split_url(url).hostname
    except HarvestError as error:
        raise RefusedError(
            f"{where}: a url is not a web address, or contains a user name. Example: {EXAMPLE}."
        ) from error
    if scheme != "https" and not is_private:
        raise RefusedError(
            f"{where}: the url for {host} must begin with https://. If the host is in your own network, set "
            "private = true."
        )
    try:
        key = b64decode(secret.removeprefix(PREFIX), validate=True)
    except binascii.Error:
        key = b""
    if not secret.startswith(PREFIX) or len(key) < FEWEST_BYTES:
        raise RefusedError(
            f"{where}: the secret for {host} must be {PREFIX} followed by at least {FEWEST_BYTES} random bytes in "
            "base64. Generate one with: openssl rand -base64 32"
        )
    return Webhook(url, key, is_private)


def _client(table: Mapping[str, object]) -> Client:
    where = name_of(API_CLIENTS)
    refuse_unknown(where, table, OF_CLIENT)
    name, token = clean(text_of(where, table, "name")), text_of(where, table, "token")
    if not name:
        raise RefusedError(f"{where}: a client has no name. Add a name for each token.")
    if len(token) < SHORTEST:
        raise RefusedError(f"{where}: the token of {name!r} is too short. Use at least {SHORTEST} random characters.")
    if not BEARER.fullmatch(token):
        raise RefusedError(f"{where}: the token of {name!r} may only contain letters, digits and the symbols -._~+/.")
    return Client(name, token)
