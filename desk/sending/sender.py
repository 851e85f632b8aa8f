"""Send a report issue to its readers, each of them at most once; see `presort.data.mail.mailings`."""

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
        Numbers of mails by state: "sent", "refused", or "pending", to be sent later.

    Raises
    ------
    DataError
        If the report issue is not published, a template is wrong, the mail server can't be used, or it stopped in
        between; what was sent until then is kept, and the same call goes on after it.
    """
    store = store.cleared(Right.EDIT, report)  # what was cut off is settled for all reports
    with mailings.sending(store):
        letter = published_letter(store, report, issue)
        written = write(store, letter, is_draft=False)
        message(letter, written, Recipient(server.sender), server)  # what can't be a mail is found before any is marked
        mailings.prepare(store, report, issue)
        if not mailings.pending_addresses(store, report, issue):
            return Counter()
        with connected(server) as client:
            ended = _send_all(store, letter, written, client, server)
        mailings.log_sending(store, report, issue, ended["sent"])
        return ended


def send_draft(store: Store, report: str, issue: date, address: str, server: MailServer, *, person: str) -> None:
    """Send a report issue, published or not, to one address, marked as a draft. No reader gets it.

    Raises
    ------
    DataError
        If that is no address, a template is wrong, or the mail server does not take the mail.
    """
    store = store.cleared(Right.EDIT, report)
    recipient = Recipient(checked_address(address))
    letter = letter_to_look_at(store, report, issue, person=person)
    made = message(letter, write(store, letter, is_draft=True), recipient, server)
    with connected(server) as client:
        delivery = deliver(client, server.sender, recipient, made)
    if delivery.state != "sent":
        raise DataError(f"The draft was not taken: {delivery.reason}")


def check(store: Store, report: str, issue: date) -> None:
    """Check whether a report issue can be sent, without contacting the mail server. Changes nothing.

    Raises
    ------
    DataError
        If it is not published, or a template is wrong.
    """
    write(store, published_letter(store, report, issue), is_draft=False)


def write(store: Store, letter: Letter, *, is_draft: bool) -> Written:
    """Render a letter with the templates of the workspace."""
    templates = Templates(store.folder)
    return Written(templates.mail_text(letter, is_draft=is_draft), templates.mail_html(letter, is_draft=is_draft))


def letter_to_look_at(store: Store, report: str, issue: date, *, person: str) -> Letter:
    """Make the letter of a report issue: as published, or else as it would be published now."""
    if issue in publications.published(store, report):
        return published_letter(store, report, issue)
    return letter_in_the_making(store, report, issue, person=person)


def _send_all(store: Store, letter: Letter, written: Written, client: SMTP, server: MailServer) -> Counter[str]:
    """Send the pending mails one by one. Each is marked before and settled after."""
    if letter.published_at is None:
        raise ValueError("a letter in the making goes to no reader")
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
                "unsure": f"{address} may have it or not: Manage, or 'presort send --unsure', lists it",
                "refused": f"{address} was refused",
            }
            end = ends.get(delivery.state, f"{address} has not got it")
            raise DataError(
                f"The mail server stopped after {counted(ended['sent'], 'mail')} of {of}, and {end} "
                f"({delivery.reason}). Mailed again, it goes to the others alone."
            )
        last = mailing.id
    return ended
