"""Composition of emails and their delivery to a mail server by SMTP."""

import re
import smtplib
import ssl
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.header import Header
from email.headerregistry import BaseHeader, HeaderRegistry
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.policy import Policy
from email.utils import make_msgid
from typing import Any
from urllib.parse import quote

from presort.data.errors import DataError, RefusedError
from presort.data.mail.addresses import ascii_address
from presort.data.records import MailingState
from presort.desk.sending import texts
from presort.desk.sending.letters import Letter
from presort.desk.settings import MailServer

PATIENCE = 60  # seconds to wait for the server's reply
TAKEN = 250, 251  # positive reply codes to MAIL and RCPT; 251 means that the server will forward the email
ALL_TAKEN = range(200, 300)  # positive reply codes to DATA
NOT_TAKEN = range(400, 600)
CLOSING = 421  # reply code: the server is closing the connection
PLAIN = re.compile(r"(?!.*=\?)[ -~]{1,60}")  # strings that need no encoding in a header
PLAIN_NAME = re.compile(r"[A-Za-z0-9' -]{1,60}")  # names that need no encoding in an address header


class MailServerError(DataError):
    """The mail server can't be used at all, so any other mail would fail too."""


@dataclass(frozen=True)
class RenderedLetter:
    """Rendered letter. It is the same for all readers, except for the unsubscribe link.

    Attributes
    ----------
    text, html : str
    placeholder : str
        Random string in `text` and `html` that is replaced with each reader's token. Empty if there is no unsubscribe
        link.
    """

    text: str
    html: str
    placeholder: str = ""

    def with_unsubscribe_token(self, token: str) -> "RenderedLetter":
        """Return the letter with a reader's own unsubscribe link."""
        if not self.placeholder:
            return self
        return RenderedLetter(*(part.replace(self.placeholder, token) for part in (self.text, self.html)))


@dataclass(frozen=True)
class Recipient:
    """Recipient of an email.

    Attributes
    ----------
    address, name : str
    number : int or None
        Id of the reader. None if the recipient is not a reader.
    token : str
        Token for one-click unsubscribe. Empty if there is none.
    """

    address: str
    name: str = ""
    number: int | None = None
    token: str = ""


@dataclass(frozen=True)
class Delivery:
    """Result of delivering an email to the server.

    Attributes
    ----------
    state : str
        "sent" if the server accepted the email, "refused" if it rejected it permanently, "pending" if the email was
        not sent but can be sent later, and "unsure" if it is unknown whether the server accepted it, for example
        because the connection broke during transmission.
    reason : str
        The server's reply, or an error message.
    is_over : bool
        True if the connection can't be used for another email.
    """

    state: MailingState
    reason: str = ""
    is_over: bool = False


def create_email(subject: str, recipient: Recipient, server: MailServer) -> EmailMessage:
    """Create an email that has a subject, sender and recipient, but no content yet.

    Raises
    ------
    RefusedError
        If a header would contain a line break.
    """
    made = EmailMessage(POLICY)
    made["Subject"] = _encode_header("Subject", _one_line("Subject", subject))
    made["From"] = _mailbox("From", server.sender_name, server.sender)
    made["To"] = _mailbox("To", recipient.name, ascii_address(recipient.address))
    made["Date"] = datetime.now(UTC)
    return made


def message(letter: Letter, written: RenderedLetter, recipient: Recipient, server: MailServer) -> EmailMessage:
    """Compose the email that sends a report issue to one reader, or a draft if the recipient has no number.

    Raises
    ------
    RefusedError
        If a header would contain a line break.
    """
    is_draft = recipient.number is None
    made = create_email(texts.subject(letter.name, letter.issue, is_draft=is_draft), recipient, server)
    domain = server.sender.rpartition("@")[2]
    list_id = f"{_atom(letter.code)}.{domain}"
    headers = {
        # Constant for each reader and issue, so that mail programs recognise an email sent twice as a duplicate.
        "Message-ID": make_msgid(domain=domain) if is_draft else f"<{letter.issue}.{recipient.number}@{list_id}>",
        "List-Id": f"<{list_id}>",
        **_unsubscribe_headers(server, letter.code, recipient.token),
        "Precedence": "bulk",
        "Auto-Submitted": "auto-generated",
    }
    for name, value in headers.items():
        made[name] = value
    own = written.with_unsubscribe_token(recipient.token)
    made.set_content(f"{own.text}\n", cte="quoted-printable")
    made.add_alternative(own.html, subtype="html", cte="quoted-printable")
    return made


@contextmanager
def mail_connection(server: MailServer) -> Iterator[smtplib.SMTP]:
    """Yield a connection to a mail server.

    Raises
    ------
    MailServerError
        If the server can't be reached or refuses the sign-in. The message never quotes the password.
    """
    where = f"The mail server {server.host}:{server.port}"
    try:
        client = smtplib.SMTP(server.host, server.port, timeout=PATIENCE)
    except (
        OSError,
        UnicodeError,
        smtplib.SMTPException,
    ) as error:  # UnicodeError: a label of the host name is too long
        raise MailServerError(f"{where} can't be reached: {error}. Nothing was sent.") from error
    try:
        _sign_in(client, server, where)
        yield client
        with suppress(OSError, smtplib.SMTPException):  # the results have been recorded, so an error no longer matters
            client.quit()
    finally:
        client.close()  # doesn't send QUIT, because in the middle of an email the server wouldn't reply to it


def deliver(client: smtplib.SMTP, sender: str, recipient: Recipient, made: EmailMessage) -> Delivery:
    """Deliver an email to the server.

    The SMTP commands are sent one by one, because only an error in the last one (DATA) makes the result unsure.
    """
    data = made.as_bytes()
    try:
        code, reply = client.mail(sender)
        if code not in TAKEN:  # the sender was rejected, so all further emails would fail too
            return Delivery("pending", _answer(code, reply), is_over=True)
        code, reply = client.rcpt(ascii_address(recipient.address))
        if code not in TAKEN:
            return _record_rejection(client, code, reply)
    except (OSError, smtplib.SMTPException) as error:
        return Delivery("pending", str(error), is_over=True)
    try:
        code, reply = client.data(data)
    except smtplib.SMTPDataError as error:  # rejected before the content was sent
        return _record_rejection(client, error.smtp_code, error.smtp_error)
    except (OSError, smtplib.SMTPException) as error:
        return Delivery("unsure", str(error), is_over=True)
    if code in ALL_TAKEN:
        return Delivery("sent")
    # After any other reply, such as a malformed line, it is unknown whether the email was accepted.
    return (
        _record_rejection(client, code, reply)
        if code in NOT_TAKEN
        else Delivery("unsure", _answer(code, reply), is_over=True)
    )


def _sign_in(client: smtplib.SMTP, server: MailServer, where: str) -> None:
    try:
        if server.has_starttls:
            client.starttls(context=ssl.create_default_context())
        if server.user:
            client.login(server.user, server.password)
        client.ehlo_or_helo_if_needed()
    except smtplib.SMTPAuthenticationError as error:
        raise MailServerError(
            f"{where} refused the user name or password ({error.smtp_code}). Nothing was sent."
        ) from None
    except UnicodeEncodeError:  # not chained, because the original message quotes the password
        raise MailServerError(
            "The user name and password for the mail server must be plain ASCII. Nothing was sent."
        ) from None
    except (OSError, smtplib.SMTPException) as error:
        raise MailServerError(f"{where} can't be used: {error}. Nothing was sent.") from error


def _record_rejection(client: smtplib.SMTP, code: int, reply: bytes | str) -> Delivery:
    state: MailingState = "refused" if code >= 500 else "pending"
    try:
        is_over = code == CLOSING or client.rset()[0] not in TAKEN
    except (OSError, smtplib.SMTPException):
        is_over = True
    return Delivery(state, _answer(code, reply), is_over)


def _answer(code: int, reply: bytes | str) -> str:
    return f"{code} {reply.decode('utf-8', 'replace') if isinstance(reply, bytes) else reply}"


def _unsubscribe_headers(server: MailServer, code: str, token: str) -> dict[str, str]:
    """Return the headers for unsubscribing from a report: by address and, if possible, with one click (RFC 8058)."""
    by_address = f"<{_one_line('List-Unsubscribe', _unsubscribe_address(server, code))}>"
    if not (server.one_click and token):
        return {"List-Unsubscribe": by_address}
    by_click = f"<{_one_line('List-Unsubscribe', server.one_click + token)}>"
    return {
        "List-Unsubscribe": f"{by_click}, {by_address}",
        "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
    }


def _unsubscribe_address(server: MailServer, code: str) -> str:
    """Return the address (https or mailto) for unsubscribing from a report."""
    way_out = server.unsubscribe or f"mailto:{server.sender}"
    has_subject = not way_out.startswith("mailto:") or "?" in way_out
    return way_out if has_subject else f"{way_out}?subject=unsubscribe%20{_atom(code)}"


def _atom(code: str) -> str:
    """Encode a report's code for use in a list id, a message id or the subject in a mailto address."""
    return quote(code, safe="").replace(".", "%2E")


class _UnchangedHeader(BaseHeader):
    """Header whose value is not changed when it is written.

    Python's default header class would fold long addresses. It would also decode ``=?utf-8?b?…?=`` in a name, which
    could be used to inject line breaks and headers.
    """

    max_count = 1

    @classmethod
    def parse(cls, value: str, kwds: dict[str, Any]) -> None:
        """Store the value unchanged."""
        kwds |= {"parse_tree": None, "decoded": value}

    def fold(self, *, policy: Policy) -> str:
        """Return the header line, folded between encoded words."""
        return f"{self.name}: {self.replace('?= =?', f'?={policy.linesep} =?')}{policy.linesep}"


HEADERS = HeaderRegistry()
for _name in ("subject", "from", "to", "message-id", "list-id", "list-unsubscribe"):
    HEADERS.map_to_type(_name, _UnchangedHeader)
POLICY = SMTP_POLICY.clone(header_factory=HEADERS)


def _mailbox(header: str, name: str, address: str) -> str:
    """Format an email's sender or recipient for a header."""
    if not name:
        return address
    return f"{_encode_header(header, _one_line('Name', name), PLAIN_NAME)} <{address}>"


def _encode_header(header: str, text: str, plain: re.Pattern[str] = PLAIN) -> str:
    """Encode a string for a header (RFC 2047), unless it is plain ASCII without special characters."""
    if plain.fullmatch(text):
        return text
    return Header(text, "utf-8", header_name=header).encode(linesep="")


def _one_line(what: str, text: str) -> str:
    """Return a string unchanged. Raises RefusedError if it contains a line break."""
    if len(text.splitlines()) > 1:
        raise RefusedError(f"{what} of an email must not contain line breaks: {text!r}.")
    return text
