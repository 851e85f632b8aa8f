"""Raw settings from environment variables and the file presort.toml. Environment variables take precedence.

The file is read from the current folder, unless PRESORT_CONFIG names another file. No other module reads environment
variables or the file.
"""

import os
import tomllib
from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from presort.data.errors import RefusedError

FILE = "PRESORT_CONFIG"
FILE_NAME = "presort.toml"
WORKSPACE = "PRESORT_WORKSPACE"
WEBHOOKS = "PRESORT_WEBHOOK"
BACKUP = "PRESORT_BACKUP_"
API_CLIENTS = "PRESORT_API_CLIENT"
DATABASE = "PRESORT_DATABASE_URL"
SITE_URL = "PRESORT_SITE_URL"
SITE_FOLDER = "PRESORT_SITE_FOLDER"
DESK_URL = "PRESORT_DESK_URL"
DIRECTOR = "PRESORT_DIRECTOR"
HARVEST = "PRESORT_WEEKLY_HARVEST"
IMPORT = "PRESORT_WEEKLY_IMPORT"
LOG_FORMAT = "PRESORT_LOG_FORMAT"
METRICS_TOKEN = "PRESORT_METRICS_TOKEN"  # noqa: S105  (a variable's name, not a secret)
SIGN_IN = "PRESORT_SIGN_IN_"
UNSUBSCRIBE = "PRESORT_UNSUBSCRIBE"
MAIL_READERS = "PRESORT_MAIL_READERS"
MAIL_DELAY = "PRESORT_MAIL_DELAY"
SMTP = "PRESORT_SMTP_"

# Keys in the file, by environment variable.
IN_FILE = {
    WORKSPACE: "workspace",
    DATABASE: "database.url",
    f"{BACKUP}FOLDER": "backup.folder",
    f"{BACKUP}EVERY": "backup.every",
    f"{BACKUP}KEEP_DAILY": "backup.keep_daily",
    f"{BACKUP}KEEP_WEEKLY": "backup.keep_weekly",
    SITE_URL: "site.url",
    SITE_FOLDER: "site.folder",
    DESK_URL: "desk.url",
    f"{SIGN_IN}NAME": "sign_in.name",
    f"{SIGN_IN}METADATA": "sign_in.metadata",
    f"{SIGN_IN}CLIENT": "sign_in.client",
    f"{SIGN_IN}SECRET": "sign_in.secret",
    f"{SIGN_IN}SCOPE": "sign_in.scope",
    f"{SIGN_IN}CLAIM": "sign_in.claim",
    f"{SIGN_IN}ROLES": "sign_in.roles",
    LOG_FORMAT: "log.format",
    METRICS_TOKEN: "metrics.token",
    f"{SMTP}HOST": "mail.host",
    f"{SMTP}PORT": "mail.port",
    f"{SMTP}FROM": "mail.from",
    f"{SMTP}USER": "mail.user",
    f"{SMTP}PASSWORD": "mail.password",
    f"{SMTP}STARTTLS": "mail.starttls",
    UNSUBSCRIBE: "mail.unsubscribe",
    MAIL_READERS: "mail.readers",
    MAIL_DELAY: "mail.delay",
    DIRECTOR: "weekly.director",
    HARVEST: "weekly.harvest",
    IMPORT: "weekly.import",
    API_CLIENTS: "api.client",
    WEBHOOKS: "webhook",
}
READABLE = " Run the command as Presort's user, or make the file readable for that user, for example: chown presort: {}"
LISTS = (HARVEST, API_CLIENTS, WEBHOOKS)
TABLES = (f"{SIGN_IN}ROLES",)


def settings_file() -> Path | None:
    """Return the path of the settings file, or None if there is none.

    If PRESORT_CONFIG names a file, its path is returned even if the file doesn't exist.
    """
    if named := os.environ.get(FILE, ""):
        return Path(named)
    path = Path(FILE_NAME)
    try:
        return path if path.is_file() else None
    except PermissionError:  # the user may not read the current folder, for example /root after sudo -u presort
        return None


def tables_of(name: str) -> list[Mapping[str, object]]:
    """Return a setting whose value is a list of tables in the file, such as ``[[weekly.harvest]]``.

    A list of URLs, in the file or in the environment, is also accepted. Each URL becomes a table with the key ``url``.
    """
    if name in os.environ:
        return [{"url": url} for url in os.environ[name].split()]
    value = _read_file().tables.get(IN_FILE[name], [])
    return [{"url": one} if isinstance(one, str) else one for one in value]


def table_of(name: str) -> Mapping[str, object]:
    """Return a setting whose value is a table. In an environment variable, it is an inline table: ``{key = value}``.

    Raises
    ------
    RefusedError
        If the environment variable is not an inline table.
    """
    if name not in os.environ:
        return _read_file().named.get(IN_FILE[name], MappingProxyType({}))
    try:
        value = tomllib.loads(f"table = {os.environ[name] or '{}'}")["table"]
    except tomllib.TOMLDecodeError:
        value = None
    if not isinstance(value, dict):
        raise RefusedError(f'{name} is not an inline TOML table. Example: {{director = ["admins"]}}.')
    return value


def value_of(name: str, *, is_stripped: bool = True) -> str:
    """Return a setting's value, given the name of its environment variable. Empty if it isn't configured."""
    text = os.environ[name] if name in os.environ else _read_file().texts.get(IN_FILE[name], "")
    return text.strip() if is_stripped else text


def name_of(name: str) -> str:
    """Return a setting's name for error messages: its environment variable, or its key and the file."""
    path = settings_file()
    return name if name in os.environ or path is None else f"{IN_FILE[name]} in {path}"


def refuse_unknown(where: str, table: Mapping[str, object], known: Sequence[str]) -> None:
    """Raise RefusedError if a table has an unknown key."""
    if unknown := [key for key in table if key not in known]:
        raise RefusedError(f"{where}: unknown key {unknown[0]}. Valid keys: {', '.join(known)}.")


def text_of(where: str, table: Mapping[str, object], key: str) -> str:
    """Return the string stored under a key in a settings table. Empty if the key is missing.

    Raises RefusedError if the value has another type. The message doesn't contain the value, which may be secret.
    """
    value = table.get(key, "")
    if not isinstance(value, str):
        raise RefusedError(f"{where}: {key!r} must be a string, not {type(value).__name__}.")
    return value.strip()


class _Content(NamedTuple):
    """Content of a settings file. Each setting is stored under its key, such as mail.host.

    Attributes
    ----------
    texts : mapping
        Scalars as strings. Booleans are stored as yes or no.
    tables : mapping
        Lists of tables.
    named : mapping
        Single tables.
    """

    texts: Mapping[str, str] = MappingProxyType({})
    tables: Mapping[str, list[Any]] = MappingProxyType({})
    named: Mapping[str, Mapping[str, object]] = MappingProxyType({})


def _read_file() -> _Content:
    path = settings_file()
    if path is None:
        return _Content()
    try:
        return _parse(path, path.read_bytes())
    except OSError as error:
        advice = READABLE.format(path) if isinstance(error, PermissionError) else ""
        raise RefusedError(f"Can't read the settings file {path}: {error.strerror}.{advice}") from error


@lru_cache(maxsize=4)  # a page reads the settings about 100 times, and parsing takes ten times as long as reading
def _parse(path: Path, content: bytes) -> _Content:
    """Parse a settings file. Cached by content, because a file can change without a new modification time."""
    try:
        tables = tomllib.loads(content.decode())
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise RefusedError(f"{path} is not valid TOML: {error}") from error
    found: dict[str, object] = {}
    for name, value in tables.items():
        found |= {f"{name}.{key}": one for key, one in value.items()} if isinstance(value, dict) else {name: value}
    lists = {name: _tables(path, name, found.pop(name)) for name in map(IN_FILE.__getitem__, LISTS) if name in found}
    named = {name: _table(path, name, found.pop(name)) for name in map(IN_FILE.__getitem__, TABLES) if name in found}
    return _Content({key: _text(path, key, one) for key, one in found.items()}, lists, named)


def _table(path: Path, key: str, value: object) -> Mapping[str, object]:
    if isinstance(value, dict):
        return value
    raise RefusedError(f"{path}: {key} must be a table that begins with [{key}].")


def _tables(path: Path, key: str, value: object) -> list[Any]:
    match value:
        case str():
            return value.split()
        case dict() if all(isinstance(one, dict) for one in value.values()):  # [weekly.harvest.NAME]
            return list(value.values())
        case dict():
            return [value]
        case list() if all(isinstance(one, str | dict) for one in value):
            return value
    raise RefusedError(f"{path}: {key} must be a list of tables [[{key}]], or a list of URLs.")


def _text(path: Path, key: str, value: object) -> str:
    if key not in IN_FILE.values():
        near = get_close_matches(key, IN_FILE.values(), n=1)
        raise RefusedError(
            f"{path}: unknown setting {key}. "
            + (f"Did you mean {near[0]}?" if near else f"Valid settings: {', '.join(IN_FILE.values())}.")
        )
    match value:
        case bool():
            return "yes" if value else "no"
        case str() | int():
            return str(value)
    # The value isn't quoted, because it may be a password.
    raise RefusedError(f"{path}: {key} must be a string, not {type(value).__name__}.")
