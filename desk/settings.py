"""Settings: workspace, database, mail server, sign-in and weekly job."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path
from typing import cast, get_args

from presort.data.errors import RefusedError
from presort.data.mail.addresses import ascii_address, checked_address
from presort.data.text.cleaning import clean
from presort.desk.process import LogFormat
from presort.desk.settings_file import (
    DATABASE,
    DESK_URL,
    DIRECTOR,
    FILE,
    HARVEST,
    IMPORT,
    LOG_FORMAT,
    METRICS_TOKEN,
    SIGN_IN,
    SITE_URL,
    SMTP,
    UNSUBSCRIBE,
    WORKSPACE,
    file,
    name_of,
    tables_of,
    value_of,
)

WEB_ADDRESS = re.compile(r"https?://[!#-;=?-~]{1,500}")  # in ASCII, without what would end it in a header or a page
ADDRESS = re.compile(r"(https?)://([a-z0-9.-]+|\[[0-9a-f:]+\])(?::([0-9]{1,5}))?/?", re.IGNORECASE)
PORTS = {"http": 80, "https": 443}
# Others can't listen on the way: it is encrypted, or does not leave this computer.
SECRET_ADDRESS = re.compile(r"https://|http://(localhost|127\.0\.0\.1|\[::1\])[:/]", re.IGNORECASE)
SHORTEST = 20  # letters of a token
POSTGRESQL = re.compile(r"postgres(ql)?://")
SET = re.compile(r"[A-Za-z0-9\-_.!~*'():]+")  # the letters of OAI-PMH
OAI_FORMATS = ("oai_dc", "arXiv")  # not read from their registry, which takes a moment to load
OF_HARVEST = ("url", "set", "format", "from", "private")
WAY_OUT = re.compile(r"(https://|mailto:)[!#-;=?-~]{1,500}")


@dataclass(frozen=True)
class Settings:
    """Paths that differ from machine to machine."""

    workspace: Path = Path("workspace")


@dataclass(frozen=True)
class MailServer:
    """Mail server and sender.

    Attributes
    ----------
    host, port
        Of the server.
    sender, sender_name : str
        Address that the mail comes from, and a name, which may be empty.
    user, password : str
        To sign in with; both may be empty. The password is never shown.
    has_starttls : bool
        Encrypt the connection first. Without encryption no password is sent.
    unsubscribe : str
        Address to unsubscribe, https or mailto. Defaults to the sender's address.
    """

    host: str
    sender: str
    port: int = 587
    sender_name: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    has_starttls: bool = True
    unsubscribe: str = ""


@dataclass(frozen=True)
class Harvest:
    """An OAI-PMH repository that new papers come from.

    Attributes
    ----------
    url : str
    set_ : str
        Part of the repository. Defaults to all of it.
    format : str
        Format of the records.
    begin : date or None
        First day of the first harvest; later ones ask for what is new. Defaults to everything.
    is_private : bool
        Allow a repository in a private network.
    """

    url: str
    set_: str = ""
    format: str = "oai_dc"
    begin: date | None = None
    is_private: bool = False


@dataclass(frozen=True)
class Week:
    """Settings of the weekly job, ranking excepted.

    Attributes
    ----------
    harvest : tuple of Harvest
    folder : Path or None
        Folder of files to import.
    director : str
        Mail address of who runs the service; may be empty.
    desk_url : str
        Address of the desk, for links in mails to editors; may be empty.
    """

    harvest: tuple[Harvest, ...] = ()
    folder: Path | None = None
    director: str = ""
    desk_url: str = ""


@dataclass(frozen=True)
class Provider:
    """Provider of sign-in by OpenID Connect.

    Attributes
    ----------
    name : str
        As people know it.
    metadata : str
        Address of its description, which mostly ends with /.well-known/openid-configuration.
    client, secret : str
        Identifier of this desk at the provider, and its secret, which is never shown.
    desk : str
        Origin of the desk as browsers find it; the provider sends people back there.
    """

    name: str
    metadata: str
    client: str
    secret: str = field(repr=False)
    desk: str


def from_environment() -> Settings:
    """Read the settings of this process.

    Raises
    ------
    RefusedError
        If the file of settings can't be read, or holds what is no setting.
    """
    return Settings(workspace=Path(value_of(WORKSPACE) or Settings.workspace))


def database() -> str:
    """Read the address of the PostgreSQL database that keeps the workspace; empty where a file of its folder does.

    Raises
    ------
    RefusedError
        If it is not an address of PostgreSQL. The message doesn't quote it because it may contain a password.
    """
    url = value_of(DATABASE)
    if url and not POSTGRESQL.match(url):
        raise RefusedError(f"{name_of(DATABASE)} is no address such as postgresql://presort@localhost/presort.")
    return url


def to_environment(settings: Settings) -> dict[str, str]:
    """Return an environment in which a child process finds the same settings."""
    path = file()
    of_file = {} if path is None else {FILE: str(path.resolve())}
    return {**os.environ, **of_file, WORKSPACE: str(settings.workspace.resolve())}


def week() -> Week:
    """Read the settings of the weekly job, ranking excepted.

    Raises
    ------
    RefusedError
        If an address is none, or a table of a harvest is wrong.
    """
    harvest, director = tuple(map(_harvest, tables_of(HARVEST))), value_of(DIRECTOR)
    folder, desk_url = value_of(IMPORT), value_of(DESK_URL)
    if desk_url and not WEB_ADDRESS.fullmatch(desk_url):
        raise RefusedError(f"{name_of(DESK_URL)} is {desk_url!r}; it must begin with https:// or http://.")
    return Week(
        harvest, Path(folder) if folder else None, checked_address(director) if director else "", desk_url.rstrip("/")
    )


def _harvest(table: Mapping[str, object]) -> Harvest:
    where = name_of(HARVEST)
    if unknown := [key for key in table if key not in OF_HARVEST]:
        raise RefusedError(f"{where} sets {unknown[0]}, which is no setting; there are {', '.join(OF_HARVEST)}.")
    url, set_ = str(table.get("url", "")), str(table.get("set", ""))
    if not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{where} has {url!r}; an address begins with https:// or http://.")
    if set_ and not SET.fullmatch(set_):
        raise RefusedError(f"{where}: {set_!r} is no set of {url}; one looks like physics:hep-th.")
    format_ = str(table.get("format", Harvest.format))
    if format_ not in OAI_FORMATS:
        raise RefusedError(f"{where}: {format_!r} is no format of {url}; there are {', '.join(OAI_FORMATS)}.")
    is_private = table.get("private", False)
    if not isinstance(is_private, bool):
        raise RefusedError(f"{where}: private of {url} must be true or false.")
    return Harvest(url, set_, format_, _day(where, url, table.get("from")), is_private)


def _day(where: str, url: str, value: object) -> date | None:
    if value is None or (isinstance(value, date) and not isinstance(value, datetime)):
        return value
    try:
        return date.fromisoformat(str(value))
    except ValueError as error:
        raise RefusedError(f"{where}: from of {url} must be a day such as 2026-11-02, not {value}.") from error


def sign_in() -> Provider | None:
    """Read the settings of sign-in. None for a local desk without it.

    Raises
    ------
    RefusedError
        If something is missing, or an address is none, or not secret on its way; the secret is not quoted.
    """
    name, metadata, client = (value_of(f"{SIGN_IN}{part}") for part in ("NAME", "METADATA", "CLIENT"))
    secret, desk = value_of(f"{SIGN_IN}SECRET", is_stripped=False), value_of(DESK_URL)
    if not (metadata or client or secret):
        return None
    parts = {f"{SIGN_IN}METADATA": metadata, f"{SIGN_IN}CLIENT": client, f"{SIGN_IN}SECRET": secret, DESK_URL: desk}
    if missing := [part for part, value in parts.items() if not value]:
        raise RefusedError(f"Sign-in needs {' and '.join(map(name_of, missing))}. Set it first.")
    for part in (f"{SIGN_IN}METADATA", DESK_URL):
        if not SECRET_ADDRESS.match(parts[part]):
            raise RefusedError(f"{name_of(part)} is {parts[part]!r}; for signing in it must begin with https://.")
    return Provider(clean(name) or "your account", metadata, client, secret, origin(desk))


def log_format() -> LogFormat:
    """Return in which format the log is written: text unless another is set.

    Raises
    ------
    RefusedError
        If there is no such format.
    """
    form = value_of(LOG_FORMAT) or "text"
    if form not in get_args(LogFormat):
        raise RefusedError(f"{name_of(LOG_FORMAT)} is {form!r}; it must be {' or '.join(get_args(LogFormat))}.")
    return cast("LogFormat", form)


def metrics_token() -> str:
    """Return the bearer token for `/metrics`. Empty disables the endpoint.

    Raises
    ------
    RefusedError
        If it is so short that it could be guessed.
    """
    token = value_of(METRICS_TOKEN)
    if token and len(token) < SHORTEST:
        raise RefusedError(f"{name_of(METRICS_TOKEN)} is too short; take {SHORTEST} letters or more, drawn at random.")
    return token


def invitation_link(code: str) -> str:
    """Return the address at which the code of an invitation is accepted. Returns only the code if no address is set."""
    desk = value_of(DESK_URL).rstrip("/")
    return f"{desk}/?invitation={code}" if desk else code


def is_link(invitation: str) -> bool:
    """Return whether an invitation is an address, or its code alone."""
    return WEB_ADDRESS.fullmatch(invitation) is not None


def origin(address: str) -> str:
    """Return the origin of an address as browsers name it.

    Raises
    ------
    RefusedError
        If it is more or less than ``http`` or ``https``, a host, and perhaps a port.

    Examples
    --------
    >>> origin("https://Desk.Example.org:443/"), origin("http://[::1]:8501")
    ('https://desk.example.org', 'http://[::1]:8501')
    """
    found = ADDRESS.fullmatch(address)
    if not found:
        raise RefusedError(f"{address!r} is no address such as https://desk.example.org, without a path behind it.")
    scheme, host, port = found[1].lower(), found[2].lower(), found[3]
    return f"{scheme}://{host}" if port is None or int(port) == PORTS[scheme] else f"{scheme}://{host}:{int(port)}"


def has_mail() -> bool:
    """Return whether a mail server is set at all."""
    return bool(_smtp("HOST"))


def has_password() -> bool:
    """Return whether a password is set for mail or a database, a secret for sign-in, or a token for figures."""
    return bool(value_of(DATABASE) or value_of(f"{SMTP}PASSWORD") or value_of(f"{SIGN_IN}SECRET") or metrics_token())


def mail_server() -> MailServer:
    """Read how mail is sent.

    Raises
    ------
    RefusedError
        If something is missing, or is not what it should be; a password is not quoted.
    """
    host, port, sender = _smtp("HOST"), _smtp("PORT") or str(MailServer.port), _smtp("FROM")
    for name, value, example in (("HOST", host, "mail.example.org"), ("FROM", sender, "Reports <reports@example.org>")):
        if not value:
            raise RefusedError(f"No mail is sent before {SMTP}{name} is set; set it to something like {example!r}.")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 2**16:
        raise RefusedError(f"{name_of(f'{SMTP}PORT')} is {port!r}; it must be a number up to 65535.")
    starttls = _smtp("STARTTLS") or "yes"
    if starttls not in ("yes", "no"):
        raise RefusedError(f"{name_of(f'{SMTP}STARTTLS')} is {starttls!r}; it must be yes or no.")
    user, password = _smtp("USER"), value_of(f"{SMTP}PASSWORD", is_stripped=False)
    if bool(user) != bool(password):
        raise RefusedError(f"{SMTP}USER and {SMTP}PASSWORD must both be set, or neither.")
    if password and starttls == "no":
        raise RefusedError(f"The password would be sent unencrypted. Set {SMTP}STARTTLS to yes.")
    unsubscribe = value_of(UNSUBSCRIBE)
    if unsubscribe and not WAY_OUT.fullmatch(unsubscribe):
        raise RefusedError(f"{name_of(UNSUBSCRIBE)} is {unsubscribe!r}; it must begin with https:// or mailto:.")
    name, address = _sender(sender)
    return MailServer(host, address, int(port), name, user, password, starttls == "yes", unsubscribe)


def site_url() -> str:
    """Read the address of the public pages, without a slash at its end. Empty if none is set.

    Raises
    ------
    RefusedError
        If it is no address of the web.
    """
    return checked_site_url(value_of(SITE_URL))


def checked_site_url(url: str) -> str:
    """Return the address of public pages, without a slash at its end. Refuses invalid addresses."""
    if url and not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{url!r} is no address of the web; it must begin with https://, such as in {SITE_URL}.")
    return url.rstrip("/")


def _sender(text: str) -> tuple[str, str]:
    """Take a name and an address apart."""
    name, _, rest = text.rpartition("<")
    return clean(name).strip('"'), ascii_address(rest.removesuffix(">"))


def _smtp(name: str) -> str:
    return value_of(f"{SMTP}{name}")
