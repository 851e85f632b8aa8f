"""Sending of a report issue to its readers, at most once to each (see `presort.data.mail.mailings`)."""

from collections import Counter
from datetime import date
from smtplib import SMTP

from presort.data.editing import publications
from presort.data.errors import DataError
from presort.data.mail import mailings
from presort.data.mail.addresses import checked_address
from presort.data.rights import Right
from presort.data.store import Store
from presort.desk.sending.letters import Letter, letter_in_the_making, published_letter
from presort.desk.sending.mail import Recipient, Written, connected, deliver, message
from presort.desk.sending.templates import Templates
from presort.desk.settings import MailServer
from presort.desk.text import counted


def send(store: Store, report: str, issue: date, server: MailServer) -> Counter[str]:
    """Send a report issue to the readers whose mailing is pending.

    Returns
    -------
    Counter
        Number of mails by state: "sent", "refused", or "pending" (temporarily rejected, to be sent later).

    Raises
    ------
    DataError
        If the report issue is not published, a template is invalid, or the mail server can't be used. If it stops
        part-way, sent mails are recorded, and the same call resumes after them.
    """
    store = store.cleared(Right.EDIT, report)  # interrupted mails of all reports are marked as unsure
    with mailings.sending(store):
        letter = published_letter(store, report, issue)
        written = write(store, letter, is_draft=False)
        message(letter, written, Recipient(server.sender), server)  # raises errors before any mailing is claimed
        mailings.prepare(store, report, issue)
        if not mailings.pending_addresses(store, report, issue):
            return Counter()
        with connected(server) as client:
            ended = _send_all(store, letter, written, client, server)
        mailings.log_sending(store, report, issue, ended["sent"])
        return ended


def send_draft(store: Store, report: str, issue: date, address: str, server: MailServer, *, person: str) -> None:
    """Send a report issue, published or not, to one address only, marked as a draft.

    Raises
    ------
    DataError
        If the address or a template is invalid, or the mail server rejects the mail.
    """
    store = store.cleared(Right.EDIT, report)
    recipient = Recipient(checked_address(address))
    letter = letter_to_look_at(store, report, issue, person=person)
    made = message(letter, write(store, letter, is_draft=True), recipient, server)
    with connected(server) as client:
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


def write(store: Store, letter: Letter, *, is_draft: bool) -> Written:
    """Render a letter with the templates of the workspace."""
    templates = Templates(store.folder)
    return Written(templates.mail_text(letter, is_draft=is_draft), templates.mail_html(letter, is_draft=is_draft))


def letter_to_look_at(store: Store, report: str, issue: date, *, person: str) -> Letter:
    """Return the letter of a report issue: the published one, or else a draft from its current state."""
    if issue in publications.published(store, report):
        return published_letter(store, report, issue)
    return letter_in_the_making(store, report, issue, person=person)


def _send_all(store: Store, letter: Letter, written: Written, client: SMTP, server: MailServer) -> Counter[str]:
    """Send the pending mails one by one. Each is claimed in the database before, and its result recorded after."""
    if letter.published_at is None:
        raise ValueError("a draft can't be sent to readers")
    of_letter = (letter.code, letter.issue, letter.published_at)
    ended: Counter[str] = Counter()
    last = 0
    while mailing := mailings.claim(store, *of_letter, after=last):
        recipient = Recipient(mailing.address, mailing.name, mailing.reader)
        delivery = deliver(client, server.sender, recipient, message(letter, written, recipient, server))
        mailings.settle(store, mailing, delivery.state, delivery.reason)
        ended[delivery.state] += 1
        if delivery.is_over:
            of, address = f"{mailing.report} {mailing.issue}", mailing.address
            ends = {
                "unsure": f"The mail to {address} may have arrived: see Manage, or 'presort send --unsure'",
                "refused": f"The mail to {address} was refused",
            }
            end = ends.get(delivery.state, f"The mail to {address} was not sent")
            raise DataError(
                f"{of}: the mail server stopped after {counted(ended['sent'], 'mail')} ({delivery.reason}). {end}. "
                "Send again to reach the remaining readers. Nobody gets it twice."
            )
        last = mailing.id
    return ended
