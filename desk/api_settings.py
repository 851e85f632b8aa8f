"""Validated settings of the API: its clients, a list of tables in presort.toml, and its address."""

import re
from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from presort.data.errors import RefusedError
from presort.data.text.cleaning import clean
from presort.desk.settings import SHORTEST, desk_url
from presort.desk.settings_file import API_CLIENTS, name_of, tables_of

API = "/api/v1"  # path of the API; a change that breaks clients gets a new number
BEARER = re.compile(r"[A-Za-z0-9._~+/-]+=*")  # characters that RFC 6750 allows in a bearer token
OF_CLIENT = ("name", "token")


@dataclass(frozen=True)
class Client:
    """Client of the API, with its bearer token. The token is left out of the repr."""

    name: str
    token: str = field(repr=False)


def api_clients() -> tuple[Client, ...]:
    """Read the clients of the API. Empty if the API is disabled.

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
        raise RefusedError(f"{where}: two clients have the same token. Generate another one.")
    return clients


def api_url() -> str:
    """Return the address of the API, without a trailing slash. Only its path if the desk has no address."""
    return f"{desk_url() or ''}{API}"


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


def refuse_unknown(where: str, table: Mapping[str, object], known: Sequence[str]) -> None:
    """Raise RefusedError if a table has an unknown key."""
    if unknown := [key for key in table if key not in known]:
        raise RefusedError(f"{where}: unknown key {unknown[0]}. Valid keys: {', '.join(known)}.")


def text_of(where: str, table: Mapping[str, object], key: str) -> str:
    """Return a string of a table. Empty if it is missing. Raises RefusedError, without the value, for other types."""
    value = table.get(key, "")
    if not isinstance(value, str):
        raise RefusedError(f"{where}: {key!r} must be a string, not {type(value).__name__}.")
    return value.strip()
