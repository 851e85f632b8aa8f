"""Validated settings of the workspace, database, mail server, sign-in, public pages, log and weekly job."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Literal, cast, get_args

from presort.data.errors import RefusedError
from presort.data.mail.addresses import ascii_address, checked_address
from presort.data.text.cleaning import clean
from presort.desk.process import LogFormat
from presort.desk.settings_file import (
    API_CLIENTS,
    DATABASE,
    DESK_URL,
    DIRECTOR,
    FILE,
    HARVEST,
    IMPORT,
    LOG_FORMAT,
    MAIL_DELAY,
    MAIL_READERS,
    METRICS_TOKEN,
    SIGN_IN,
    SITE_FOLDER,
    SITE_URL,
    SMTP,
    UNSUBSCRIBE,
    WEBHOOKS,
    WORKSPACE,
    file,
    name_of,
    table_of,
    tables_of,
    value_of,
)

if TYPE_CHECKING:
    from presort.desk.group_roles import GroupRoles

# Printable ASCII without quotes and angle brackets, which would end the address in a mail header or in HTML.
WEB_ADDRESS = re.compile(r"https?://[!#-;=?-~]{1,500}")
# Scheme, host, port and path. Each part of the path begins with a letter or digit, so ".." can't occur.
ADDRESS = re.compile(
    r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?((?:/[a-z0-9][a-z0-9._~-]*)*)/?", re.IGNORECASE
)
PORTS = {"http": 80, "https": 443}
# Addresses that can't be intercepted: encrypted, or on this computer.
SECRET_ADDRESS = re.compile(r"https://|http://(localhost|127\.0\.0\.1|\[::1\])[:/]", re.IGNORECASE)
SHORTEST = 20  # characters of a token
POSTGRESQL = re.compile(r"postgres(ql)?://")
SET = re.compile(r"[A-Za-z0-9\-_.!~*'():]+")  # characters that OAI-PMH allows in a setSpec
OAI_FORMATS = ("oai_dc", "arXiv")  # repeated here because importing their registry is slow
OF_HARVEST = ("url", "set", "format", "from", "private")
Timing = Literal["at once", "daily", "weekly"]
UNSUBSCRIBE_PATH = "/unsubscribe"  # of the page for one-click unsubscribe
LONGEST_DELAY = 1_440  # minutes
WAY_OUT = re.compile(r"(https://|mailto:)[!#-;=?-~]{1,500}")


@dataclass(frozen=True)
class Settings:
    """Paths on this machine."""

    workspace: Path = Path("workspace")


@dataclass(frozen=True)
class MailServer:
    """Mail server and sender.

    Attributes
    ----------
    host : str
    port : int
    sender, sender_name : str
        Address and name in the From header. The name may be empty.
    user, password : str
        Credentials. Empty if the server needs none. The password is left out of the repr.
    has_starttls : bool
        Encrypt the connection with STARTTLS. A password is only sent over an encrypted connection.
    unsubscribe : str
        Address for unsubscribing (https or mailto). Empty means the sender's address.
    one_click : str
        Address for one-click unsubscribe, to which the token of a reader is added. Empty if there is none.
    """

    host: str
    sender: str
    port: int = 587
    sender_name: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    has_starttls: bool = True
    unsubscribe: str = ""
    one_click: str = ""


@dataclass(frozen=True)
class Delivery:
    """Settings of what follows a publication: mail to readers and public pages.

    Attributes
    ----------
    timing : str
        "at once": mail goes out after the delay. "daily": the next morning. "weekly": with the next weekly job.
    delay : timedelta
        Time after a publication in which an editor can undo it, before mail and public pages go out.
    folder : Path or None
        Folder of the public pages. None writes no pages.
    url : str
        Public address of that folder. May be empty.
    """

    timing: Timing = "at once"
    delay: timedelta = timedelta(minutes=10)
    folder: Path | None = None
    url: str = ""


@dataclass(frozen=True)
class Harvest:
    """OAI-PMH repository from which new papers are harvested.

    Attributes
    ----------
    url : str
    set_ : str
        OAI-PMH set to harvest. Defaults to the whole repository.
    format : str
        Metadata prefix, one of `OAI_FORMATS`.
    begin : date or None
        Start date of the first harvest. Later harvests request new records only. Defaults to the oldest record.
    is_private : bool
        Allow a repository in a private network.
    """

    url: str
    set_: str = ""
    format: str = "oai_dc"
    begin: date | None = None
    is_private: bool = False


@dataclass(frozen=True)
class DeskUrl:
    """Address of the desk in browsers. Its text has no trailing slash, so that a path can be appended.

    Attributes
    ----------
    origin : str
        Scheme, host and port in the form that browsers send.
    path : str
        Path below which a proxy serves the desk, such as ``/presort``. Empty for the root of the host.
    """

    origin: str
    path: str = ""

    def __str__(self) -> str:
        """Return the address as text."""
        return f"{self.origin}{self.path}"


@dataclass(frozen=True)
class Week:
    """Settings of the weekly job, except for ranking.

    Attributes
    ----------
    harvest : tuple of Harvest
    folder : Path or None
        Folder with files to import.
    director : str
        Mail address of the director. May be empty.
    desk_url : str
        Address of the desk, for links in mails to editors. May be empty.
    delivery : Delivery
        Settings of mail to readers and of public pages.
    """

    harvest: tuple[Harvest, ...] = ()
    folder: Path | None = None
    director: str = ""
    desk_url: str = ""
    delivery: Delivery = Delivery()


@dataclass(frozen=True)
class Provider:
    """OpenID Connect provider for sign-in.

    Attributes
    ----------
    name : str
        Display name on the sign-in button.
    metadata : str
        URL of the discovery document, which usually ends with /.well-known/openid-configuration.
    client, secret : str
        Client ID and client secret of this desk. The secret is left out of the repr.
    desk : DeskUrl
        Address of the desk. The provider redirects users back to it.
    scope : str
        OAuth scopes to request, separated by spaces.
    claim : str
        Claim with the groups of a user, or the path to a nested claim. Empty if groups give no roles.
    roles : mapping
        Roles that groups give, by the name of the group.
    """

    name: str
    metadata: str
    client: str
    secret: str = field(repr=False)
    desk: DeskUrl
    scope: str = "openid"
    claim: str = ""
    roles: "GroupRoles" = field(default_factory=dict)


def from_environment() -> Settings:
    """Read the settings of this process.

    Raises
    ------
    RefusedError
        If the settings file can't be read, or contains an unknown setting.
    """
    return Settings(workspace=Path(value_of(WORKSPACE) or Settings.workspace))


def database() -> str:
    """Read the PostgreSQL URL of the workspace. Empty if the workspace uses a SQLite file in its folder.

    Raises
    ------
    RefusedError
        If it is not a PostgreSQL URL. The message doesn't quote it because it may contain a password.
    """
    url = value_of(DATABASE)
    if url and not POSTGRESQL.match(url):
        raise RefusedError(
            f"{name_of(DATABASE)} is not a PostgreSQL URL. Set it to something like "
            "postgresql://presort@localhost/presort."
        )
    return url


def to_environment(settings: Settings) -> dict[str, str]:
    """Return environment variables that give a child process the same settings."""
    path = file()
    of_file = {} if path is None else {FILE: str(path.resolve())}
    return {**os.environ, **of_file, WORKSPACE: str(settings.workspace.resolve())}


def week() -> Week:
    """Read the settings of the weekly job, except for ranking.

    Raises
    ------
    RefusedError
        If an address or a harvest table is invalid.
    """
    harvest, director = tuple(map(_harvest, tables_of(HARVEST))), value_of(DIRECTOR)
    folder, desk = value_of(IMPORT), desk_url()
    return Week(
        harvest,
        Path(folder) if folder else None,
        checked_address(director) if director else "",
        "" if desk is None else str(desk),
        delivery(),
    )


def _harvest(table: Mapping[str, object]) -> Harvest:
    where = name_of(HARVEST)
    if unknown := [key for key in table if key not in OF_HARVEST]:
        raise RefusedError(f"{where}: unknown key {unknown[0]}. Valid keys: {', '.join(OF_HARVEST)}.")
    url, set_ = str(table.get("url", "")), str(table.get("set", ""))
    if not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{where}: {url!r} is not a web address. It must begin with https:// or http://.")
    if set_ and not SET.fullmatch(set_):
        raise RefusedError(f"{where}: {set_!r} is not a valid set name for {url}. Example: physics:hep-th.")
    format_ = str(table.get("format", Harvest.format))
    if format_ not in OAI_FORMATS:
        raise RefusedError(f"{where}: unknown format {format_!r} for {url}. Valid formats: {', '.join(OAI_FORMATS)}.")
    is_private = table.get("private", False)
    if not isinstance(is_private, bool):
        raise RefusedError(f"{where}: 'private' must be true or false for {url}.")
    return Harvest(url, set_, format_, _day(where, url, table.get("from")), is_private)


def _day(where: str, url: str, value: object) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise RefusedError(f"{where}: 'from' must be a date such as 2026-11-02 for {url}, not {value}.") from error


def sign_in() -> Provider | None:
    """Read the sign-in settings. None for a local desk without sign-in.

    Raises
    ------
    RefusedError
        If a setting is missing or invalid, or an address is not encrypted. The message doesn't quote the secret.
    """
    name, metadata, client = (value_of(f"{SIGN_IN}{part}") for part in ("NAME", "METADATA", "CLIENT"))
    secret, address = value_of(f"{SIGN_IN}SECRET", is_stripped=False), value_of(DESK_URL)
    if not (metadata or client or secret):
        return None
    parts = {f"{SIGN_IN}METADATA": metadata, f"{SIGN_IN}CLIENT": client, f"{SIGN_IN}SECRET": secret, DESK_URL: address}
    desk = desk_url()
    missing = [part for part, value in parts.items() if not value]
    if missing or desk is None:
        raise RefusedError(f"Sign-in is incomplete. Set {' and '.join(map(name_of, missing))}.")
    for part in (f"{SIGN_IN}METADATA", DESK_URL):
        if not SECRET_ADDRESS.match(parts[part]):
            raise RefusedError(f"{name_of(part)} is {parts[part]!r}. For sign-in, it must begin with https://.")
    scope, claim, roles = _group_roles()
    return Provider(clean(name) or "your account", metadata, client, secret, desk, scope, claim, roles)


def _group_roles() -> tuple[str, str, "GroupRoles"]:
    """Return the scopes to request, the claim with the groups, and the roles that they give."""
    from presort.desk.group_roles import parse_roles  # imports NumPy, which would slow down every command

    of_roles, claim = f"{SIGN_IN}ROLES", value_of(f"{SIGN_IN}CLAIM")
    roles = parse_roles(table_of(of_roles), name_of(of_roles))
    if bool(claim) != bool(roles):
        raise RefusedError(f"Set both {name_of(f'{SIGN_IN}CLAIM')} and {name_of(of_roles)}, or neither.")
    # An account is identified by issuer and subject. Only a new person by a group needs a name, from the profile.
    scope = value_of(f"{SIGN_IN}SCOPE") or ("openid profile" if roles else Provider.scope)
    if "openid" not in scope.split():
        raise RefusedError(f"{name_of(f'{SIGN_IN}SCOPE')} is {scope!r}. It must contain openid.")
    return scope, claim, roles


def log_format() -> LogFormat:
    """Return the log format. Defaults to text.

    Raises
    ------
    RefusedError
        If the format is unknown.
    """
    form = value_of(LOG_FORMAT) or "text"
    if form not in get_args(LogFormat):
        raise RefusedError(f"{name_of(LOG_FORMAT)} is {form!r}. It must be {' or '.join(get_args(LogFormat))}.")
    return cast("LogFormat", form)


def metrics_token() -> str:
    """Return the bearer token for `/metrics`. Empty disables the endpoint.

    Raises
    ------
    RefusedError
        If the token is short enough to be guessed.
    """
    token = value_of(METRICS_TOKEN)
    if token and len(token) < SHORTEST:
        raise RefusedError(f"{name_of(METRICS_TOKEN)} is too short. Use at least {SHORTEST} random characters.")
    return token


def desk_url() -> DeskUrl | None:
    """Read the address of the desk. None if it isn't set.

    Raises
    ------
    RefusedError
        If it is anything else than scheme, host, port and path, or if the path has other characters than letters,
        digits and ``._~-``.
    """
    address = value_of(DESK_URL)
    found = parse_desk_url(address)
    if address and found is None:
        raise RefusedError(
            f"{name_of(DESK_URL)} is {address!r}. It must be an address without a query, such as "
            "https://desk.example.org or https://example.org/presort."
        )
    return found


def parse_desk_url(address: str) -> DeskUrl | None:
    """Split an address into origin and path. None if it is not an address of a desk.

    Examples
    --------
    >>> parse_desk_url("https://Desk.Example.org:443/"), parse_desk_url("http://[::1]:8501/Presort/")
    (DeskUrl(origin='https://desk.example.org', path=''), DeskUrl(origin='http://[::1]:8501', path='/Presort'))
    >>> parse_desk_url("https://example.org/../presort")
    """
    found = ADDRESS.fullmatch(address)
    if not found:
        return None
    scheme, host, port = found[1].lower(), found[2].lower(), found[3]
    is_usual = port is None or int(port) == PORTS[scheme]
    return DeskUrl(f"{scheme}://{host}" if is_usual else f"{scheme}://{host}:{int(port)}", found[4])


def path_of_pages() -> str:
    """Return the path below which this server serves its pages, such as ``/presort``. Empty without sign-in.

    A desk without sign-in serves only its own computer, so no proxy adds a path.
    """
    provider = sign_in()
    return "" if provider is None else provider.desk.path


def invitation_link(code: str) -> str:
    """Return the link that accepts an invitation code. Returns the bare code if the desk has no address."""
    desk = desk_url()
    return code if desk is None else f"{desk}/?invitation={code}"


def is_link(invitation: str) -> bool:
    """Return True if an invitation is a link, not a bare code."""
    return WEB_ADDRESS.fullmatch(invitation) is not None


def has_mail() -> bool:
    """Return True if a mail server is set."""
    return bool(_smtp("HOST"))


def has_password() -> bool:
    """Return True if any secret is set: a password, a sign-in secret, a token for metrics or the API, or a webhook."""
    texts = (DATABASE, f"{SMTP}PASSWORD", f"{SIGN_IN}SECRET")
    return bool(any(map(value_of, texts)) or metrics_token() or tables_of(API_CLIENTS) or tables_of(WEBHOOKS))


def mail_server() -> MailServer:
    """Read the mail settings.

    Raises
    ------
    RefusedError
        If a setting is missing or invalid. The message doesn't quote a password.
    """
    host, port, sender = _smtp("HOST"), _smtp("PORT") or str(MailServer.port), _smtp("FROM")
    for name, value, example in (("HOST", host, "mail.example.org"), ("FROM", sender, "Reports <reports@example.org>")):
        if not value:
            raise RefusedError(f"Mail is not configured. Set {SMTP}{name} to something like {example!r}.")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 2**16:
        raise RefusedError(f"{name_of(f'{SMTP}PORT')} is {port!r}. It must be a number from 1 to 65535.")
    starttls = _smtp("STARTTLS") or "yes"
    if starttls not in ("yes", "no"):
        raise RefusedError(f"{name_of(f'{SMTP}STARTTLS')} is {starttls!r}. It must be yes or no.")
    user, password = _smtp("USER"), value_of(f"{SMTP}PASSWORD", is_stripped=False)
    if bool(user) != bool(password):
        raise RefusedError(f"Set both {SMTP}USER and {SMTP}PASSWORD, or neither.")
    if password and starttls == "no":
        raise RefusedError(f"The password would be sent unencrypted. Set {SMTP}STARTTLS to yes.")
    unsubscribe = value_of(UNSUBSCRIBE)
    if unsubscribe and not WAY_OUT.fullmatch(unsubscribe):
        raise RefusedError(f"{name_of(UNSUBSCRIBE)} is {unsubscribe!r}. It must begin with https:// or mailto:.")
    name, address = _sender(sender)
    one_click = "" if unsubscribe else _one_click()
    return MailServer(host, address, int(port), name, user, password, starttls == "yes", unsubscribe, one_click)


def _one_click() -> str:
    """Return the address for one-click unsubscribe. Empty unless readers can reach the desk, so needs sign-in."""
    try:
        provider = sign_in()
    except RefusedError:  # the desk doesn't start with these settings; mail can be sent by commands
        return ""
    if provider is None or not provider.desk.origin.startswith("https:"):
        return ""
    return f"{provider.desk}{UNSUBSCRIBE_PATH}/"


def site_url() -> str:
    """Read the address of the public pages, without a trailing slash. Empty if it isn't set.

    Raises
    ------
    RefusedError
        If it is not a web address.
    """
    return checked_site_url(value_of(SITE_URL))


def checked_site_url(url: str) -> str:
    """Return an address of public pages without its trailing slash. Raises RefusedError if it is invalid."""
    if url and not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{url!r} is not a web address. {SITE_URL} must begin with https://.")
    return url.rstrip("/")


def delivery() -> Delivery:
    """Read the settings of mail to readers and of public pages.

    Raises
    ------
    RefusedError
        If a setting is invalid.
    """
    timing, delay, folder = value_of(MAIL_READERS) or Delivery.timing, value_of(MAIL_DELAY), value_of(SITE_FOLDER)
    if timing not in get_args(Timing):
        raise RefusedError(f"{name_of(MAIL_READERS)} is {timing!r}. It must be {' or '.join(get_args(Timing))}.")
    if delay and not (delay.isascii() and delay.isdigit() and len(delay) <= 4 and int(delay) <= LONGEST_DELAY):
        raise RefusedError(f"{name_of(MAIL_DELAY)} is {delay!r}. It must be a number of minutes, 0 to {LONGEST_DELAY}.")
    return Delivery(
        cast("Timing", timing),
        timedelta(minutes=int(delay)) if delay else Delivery.delay,
        Path(folder) if folder else None,
        site_url(),
    )


def _sender(text: str) -> tuple[str, str]:
    """Split a From value into name and address."""
    name, _, rest = text.rpartition("<")
    return clean(name).strip('"'), ascii_address(rest.removesuffix(">"))


def _smtp(name: str) -> str:
    return value_of(f"{SMTP}{name}")
