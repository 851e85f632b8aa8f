"""Settings for the mail server, for mail to readers and for public pages."""

import re
from dataclasses import dataclass, field
from datetime import timedelta
from pathlib import Path
from typing import Literal, cast, get_args

from presort.data.errors import RefusedError
from presort.data.mail.addresses import ascii_address
from presort.data.text.cleaning import clean
from presort.desk.settings.server import WEB_ADDRESS
from presort.desk.settings.sign_in import sign_in
from presort.desk.settings.sources import (
    MAIL_DELAY,
    MAIL_READERS,
    SITE_FOLDER,
    SITE_URL,
    SMTP,
    UNSUBSCRIBE,
    name_of,
    value_of,
)

Timing = Literal["at once", "daily", "weekly"]
UNSUBSCRIBE_PATH = "/unsubscribe"  # path of the page for unsubscribing with one click
LONGEST_DELAY = 1_440  # minutes
WAY_OUT = re.compile(r"(https://|mailto:)[!#-;=?-~]{1,500}")


@dataclass(frozen=True)
class MailServer:
    """Settings for the mail server and the sender.

    Attributes
    ----------
    host : str
    port : int
    sender, sender_name : str
        Address and name in the From header. The name may be empty.
    user, password : str
        Credentials. Empty if the server needs none. The password is left out of the repr.
    has_starttls : bool
        True if the connection is encrypted with STARTTLS. A password is sent only over an encrypted connection.
    unsubscribe : str
        Address for unsubscribing (https or mailto). If empty, the sender's address is used.
    one_click : str
        Address for unsubscribing with one click, to which a reader's token is appended. Empty if there is none.
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
    """Settings for delivery after a publication: mail to readers and public pages.

    Attributes
    ----------
    timing : str
        "at once" if mail is sent after the delay, "daily" if it is sent the next morning, and "weekly" if the next
        weekly job sends it.
    delay : timedelta
        Time during which an editor can undo a publication, before mail is sent and public pages are written.
    folder : Path or None
        Folder of the public pages. If None, no pages are written.
    url : str
        Public address of that folder. It may be empty.
    """

    timing: Timing = "at once"
    delay: timedelta = timedelta(minutes=10)
    folder: Path | None = None
    url: str = ""


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
            raise RefusedError(f"Mail is not configured. Set {SMTP}{name}, for example to {example!r}.")
    if not port.isascii() or not port.isdigit() or not 0 < int(port) < 2**16:
        raise RefusedError(f"{name_of(f'{SMTP}PORT')} is {port!r}. It must be a number from 1 to 65535.")
    starttls = _smtp("STARTTLS") or "yes"
    if starttls not in ("yes", "no"):
        raise RefusedError(f"{name_of(f'{SMTP}STARTTLS')} is {starttls!r}. It must be yes or no.")
    user, password = _smtp("USER"), value_of(f"{SMTP}PASSWORD", is_stripped=False)
    if bool(user) != bool(password):
        raise RefusedError(f"Set both {name_of(f'{SMTP}USER')} and {name_of(f'{SMTP}PASSWORD')}, or neither.")
    if password and starttls == "no":
        raise RefusedError(f"The password would be sent unencrypted. Set {name_of(f'{SMTP}STARTTLS')} to yes.")
    unsubscribe = value_of(UNSUBSCRIBE)
    if unsubscribe and not WAY_OUT.fullmatch(unsubscribe):
        raise RefusedError(f"{name_of(UNSUBSCRIBE)} is {unsubscribe!r}. It must begin with https:// or mailto:.")
    name, address = _sender(sender)
    one_click = "" if unsubscribe else _one_click()
    return MailServer(host, address, int(port), name, user, password, starttls == "yes", unsubscribe, one_click)


def has_mail() -> bool:
    """Return True if a mail server is configured."""
    return bool(_smtp("HOST"))


def _smtp(name: str) -> str:
    return value_of(f"{SMTP}{name}")


def _sender(text: str) -> tuple[str, str]:
    """Split the value of a From header into name and address."""
    name, _, rest = text.rpartition("<")
    return clean(name).strip('"'), ascii_address(rest.removesuffix(">"))


def _one_click() -> str:
    """Return the address for unsubscribing with one click.

    Empty if sign-in isn't configured, because a desk without sign-in can be reached only from its own computer. Also
    empty if the desk's address is not encrypted.
    """
    try:
        provider = sign_in()
    except RefusedError:  # with these settings the desk doesn't start, but commands can still send mail
        return ""
    if provider is None or not provider.desk.origin.startswith("https:"):
        return ""
    return f"{provider.desk}{UNSUBSCRIBE_PATH}/"


def delivery() -> Delivery:
    """Read the settings for mail to readers and for public pages.

    Raises
    ------
    RefusedError
        If a setting is invalid.
    """
    timing, delay, folder = value_of(MAIL_READERS) or Delivery.timing, value_of(MAIL_DELAY), value_of(SITE_FOLDER)
    if timing not in get_args(Timing):
        raise RefusedError(f"{name_of(MAIL_READERS)} is {timing!r}. It must be {' or '.join(get_args(Timing))}.")
    if delay and not (delay.isascii() and delay.isdigit() and len(delay) <= 4 and int(delay) <= LONGEST_DELAY):
        raise RefusedError(
            f"{name_of(MAIL_DELAY)} is {delay!r}. It must be a number of minutes from 0 to {LONGEST_DELAY}."
        )
    return Delivery(
        cast("Timing", timing),
        timedelta(minutes=int(delay)) if delay else Delivery.delay,
        Path(folder) if folder else None,
        site_url(),
    )


def site_url() -> str:
    """Read the address of the public pages, without a trailing slash. Empty if it isn't configured.

    Raises
    ------
    RefusedError
        If it is not a web address.
    """
    return validate_site_url(value_of(SITE_URL))


def validate_site_url(url: str) -> str:
    """Return a valid address of public pages without its trailing slash. Raises RefusedError if it is invalid."""
    if url and not WEB_ADDRESS.fullmatch(url):
        raise RefusedError(f"{url!r} is not a web address. {SITE_URL} must begin with https://.")
    return url.rstrip("/")
