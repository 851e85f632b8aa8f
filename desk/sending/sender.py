"""Send a report issue to its readers, at most once to each reader (see `presort.data.mail.mailings`)."""

from collections import Counter
from collections.abc import Iterator
from datetime import date
from secrets import token_urlsafe
from smtplib import SMTP

from presort.data.editing import publications
from presort.data.errors import DataError, RefusedError
from presort.data.mail import mailings
from presort.data.mail.addresses import validate_address
from presort.data.mail.unsubscribe import Tokens
from presort.data.records import Mailing
from presort.data.rights import Right
from presort.data.running.service import is_demo
from presort.data.store import Store
from presort.desk.process import delay_termination
from presort.desk.sending.letters import Letter, draft_letter, published_letter
from presort.desk.sending.mail import Delivery, Recipient, RenderedLetter, deliver, mail_connection, message
from presort.desk.sending.templates import Templates
from presort.desk.settings import MailServer
from presort.desk.text import count_text

OF_DEMO = "The demo sends no mail to readers."


def send(store: Store, report: str, issue: date, server: MailServer) -> Counter[str]:
    """Send a report issue to the readers whose email is still pending.

    Returns
    -------
    Counter
        Number of emails by state: "sent", "refused", or "pending" (temporarily rejected, to be sent later).

    Raises
    ------
    DataError
        If the report issue is not published, a template is invalid, the mail server can't be used, or the workspace is
        the demo. If sending stops part-way, the emails sent so far are recorded, and repeating the call sends the
        remaining ones.
    """
    if is_demo(store):  # the demo's readers are fictitious
        raise RefusedError(OF_DEMO)
    # The store needs rights to all reports, because `sending` also marks interrupted emails of other reports as unsure.
    store = store.without_guard(Right.EDIT, report)
    with mailings.sending(store):
        letter = published_letter(store, report, issue)
        written = write(store, letter, server, is_draft=False)
        # Compose a trial email before any mailing is claimed, because a header may be invalid.
        message(letter, written, Recipient(server.sender), server)
        mailings.prepare(store, report, issue)
        if not mailings.pending_addresses(store, report, issue):
            return Counter()
        ended: Counter[str] = Counter()
        try:
            with mail_connection(server) as client:
                _send_all(store, letter, written, client, server, ended)
        finally:  # if sending is interrupted, the log still counts the emails sent before
            if ended:
                mailings.log_sending(store, report, issue, ended["sent"])
        return ended


def send_draft(store: Store, report: str, issue: date, address: str, server: MailServer, *, person: str) -> None:
    """Send a report issue, published or not, to a single address. The email is marked as a draft.

    Raises
    ------
    DataError
        If the address or a template is invalid, or the mail server rejects the email.
    """
    store = store.without_guard(Right.EDIT, report)
    recipient = Recipient(validate_address(address))
    letter = letter_preview(store, report, issue, person=person)
    made = message(letter, write(store, letter, server, is_draft=True), recipient, server)
    with mail_connection(server) as client:
        delivery = deliver(client, server.sender, recipient, made)
    if delivery.state != "sent":
        raise DataError(f"The mail server did not accept the draft: {delivery.reason}")


def check(store: Store, report: str, issue: date) -> None:
    """Check that a report issue can be sent, without contacting the mail server.

    Raises
    ------
    DataError
        If the report issue is not published, or a template is invalid.
    """
    write(store, published_letter(store, report, issue), is_draft=False)


def write(store: Store, letter: Letter, server: MailServer | None = None, *, is_draft: bool) -> RenderedLetter:
    """Render a letter with the workspace's templates.

    If there is a `List-Unsubscribe` header, the footer contains the same link. A link that unsubscribes with one click
    contains a placeholder, because rendering the letter again for each reader would be slow. Without a mail server,
    there is no link.
    """
    templates, link, placeholder = Templates(store.folder), "", ""
    if server is not None and server.one_click and not is_draft:
        placeholder = token_urlsafe()  # random, so that it can't occur in a paper's title or abstract
        link = server.one_click + placeholder
    elif server is not None and server.unsubscribe.startswith("https:"):
        link = server.unsubscribe
    text, page = (
        render(letter, is_draft=is_draft, unsubscribe=link) for render in (templates.mail_text, templates.mail_html)
    )
    return RenderedLetter(text, page, placeholder)


def letter_preview(store: Store, report: str, issue: date, *, person: str) -> Letter:
    """Return the published letter of a report issue, or its current draft if the issue hasn't been published."""
    if issue in publications.published(store, report):
        return published_letter(store, report, issue)
    return draft_letter(store, report, issue, person=person)


def _send_all(
    store: Store, letter: Letter, written: RenderedLetter, client: SMTP, server: MailServer, ended: Counter[str]
) -> None:
    """Send the pending emails one by one, and count them by state in `ended`."""
    for mailing, delivery in _deliveries(store, letter, written, client, server):
        ended[delivery.state] += 1
        if delivery.is_over:
            of, address = f"{mailing.report} {mailing.issue}", mailing.address
            ends = {
                "unsure": f"The email to {address} may have arrived: see Manage, or 'presort send --unsure'",
                "refused": f"The email to {address} was refused",
            }
            end = ends.get(delivery.state, f"The email to {address} was not sent")
            raise DataError(
                f"{of}: the mail server stopped accepting mail after {count_text(ended['sent'], 'email')} "
                f"({delivery.reason}). {end}. Send again to reach the remaining readers. Nobody gets it twice."
            )


def _deliveries(
    store: Store, letter: Letter, written: RenderedLetter, client: SMTP, server: MailServer
) -> Iterator[tuple[Mailing, Delivery]]:
    """Deliver the pending emails.

    Each email is first claimed in the database, and its result is recorded afterwards.
    """
    if letter.published_at is None:
        raise ValueError("a draft can't be sent to readers")
    tokens = Tokens(store, letter.code) if server.one_click else None
    last = 0
    while True:
        with delay_termination():  # after an interruption, it would be unknown whether the email has arrived
            mailing = mailings.claim(store, letter.code, letter.issue, letter.published_at, after=last)
            if mailing is None:
                return
            token = tokens.token(mailing.reader) if tokens else ""
            recipient = Recipient(mailing.address, mailing.name, mailing.reader, token)
            delivery = deliver(client, server.sender, recipient, message(letter, written, recipient, server))
            mailings.settle(store, mailing, delivery.state, delivery.reason)
        yield mailing, delivery
        last = mailing.id
