"""Where this Presort finds its workspace and its mail server; the only place that reads the environment."""

import os
import re
from dataclasses import dataclass, field
from pathlib import Path

from data.errors import RefusedError
from data.mail.readers import ascii_address
from data.text.cleaning import clean

WORKSPACE = "PRESORT_WORKSPACE"
SITE_URL = "PRESORT_SITE_URL"
UNSUBSCRIBE = "PRESORT_UNSUBSCRIBE"
SMTP = "PRESORT_SMTP_"

WEB_ADDRESS = re.compile(r"https?://[!#-;=?-~]{1,500}")  # in ASCII, without what would end it in a header or a page
WAY_OUT = re.compile(r"(https://|mailto:)[!#-;=?-~]{1,500}")


@dataclass(frozen=True)
class Settings:
    """Places that differ from machine to machine."""

    workspace: Path = Path("workspace")


@dataclass(frozen=True)
class MailServer:
    """The server that sends mail, and in whose name.

    Attributes
    ----------
    host, port
        Of the server.
    sender, sender_name : str
        Address that the mail comes from, and a name, which may be empty.
    user, password : str
        To sign in with; both may be empty. The password is never shown.
    has_starttls : bool
        Whether the connection is made secret first; without, no password is sent.
    unsubscribe : str
        Where readers leave, https or mailto; the sender's address where it is empty.
    """

    host: str
    sender: str
    port: int = 587
    sender_name: str = ""
    user: str = ""
    password: str = field(default="", repr=False)
    has_starttls: bool = True
    unsubscribe: str = ""


def from_environment() -> Settings:
    """Read the settings of this process."""
    return Settings(workspace=Path(os.environ.get(WORKSPACE) or Settings.workspace))


def to_environment(settings: Settings) -> dict[str, str]:
    """Return an environment in which a child process finds the same settings."""
    return {**os.environ, WORKSPACE: str(settings.workspace.resolve())}


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
        raise RefusedError(f"{SMTP}PORT is {port!r}; it must be a number up to 65535.")
    starttls = _smtp("STARTTLS") or "yes"
    if starttls not in ("yes", "no"):
        raise RefusedError(f"{SMTP}STARTTLS is {starttls!r}; it must be yes or no.")
    user, password = _smtp("USER"), os.environ.get(f"{SMTP}PASSWORD", "")
    if bool(user) != bool(password):
        raise RefusedError(f"{SMTP}USER and {SMTP}PASSWORD must both be set, or neither.")
    if password and starttls == "no":
        raise RefusedError(f"A password would go through the network for all to read; set {SMTP}STARTTLS to yes.")
    unsubscribe = os.environ.get(UNSUBSCRIBE, "")
    if unsubscribe and not WAY_OUT.fullmatch(unsubscribe):
        raise RefusedError(f"{UNSUBSCRIBE} is {unsubscribe!r}; it must begin with https:// or mailto:.")
    name, address = _sender(sender)
    return MailServer(host, address, int(port), name, user, password, starttls == "yes", unsubscribe)


def site_url() -> str:
    """Read the address of the public pages, without a slash at its end; empty where none is set.

    Raises
    ------
    RefusedError
        If it is no address of the web.
    """
    return checked_site_url(os.environ.get(SITE_URL, ""))


def checked_site_url(url: str) -> str:
    """Return the address of public pages, without a slash at its end; what is no address of the web is refused."""
    if url and not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{url!r} is no address of the web; it must begin with https://, such as in {SITE_URL}.")
    return url.rstrip("/")


def _sender(text: str) -> tuple[str, str]:
    """Take a name and an address apart."""
    name, _, rest = text.rpartition("<")
    return clean(name).strip('"'), ascii_address(rest.removesuffix(">"))


def _smtp(name: str) -> str:
    return os.environ.get(f"{SMTP}{name}", "").strip()
