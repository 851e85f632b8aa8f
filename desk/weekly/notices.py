"""Email notices of pending issues to editors, and of very late issues to the director. Each is sent at most once."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from email.message import EmailMessage

from presort.data import catalogue
from presort.data.editing.pending import lateness, pending
from presort.data.errors import DataError
from presort.data.mail import mailings, notices
from presort.data.mail.editors import editor_addresses
from presort.data.records import Notice, PendingIssue
from presort.data.running import people
from presort.data.store import Store
from presort.desk.sending.mail import Recipient, create_email, deliver, mail_connection
from presort.desk.settings import MailServer
from presort.desk.text import count_text
from presort.desk.weekly import mail_texts
from presort.desk.weekly.job import SkipStep, WeeklyRun


@dataclass(frozen=True)
class Mail:
    """Email with one or more notices. It is sent only if none of them was sent, refused or claimed before."""

    recipient: Recipient
    subject: str
    text: str
    about: Sequence[Notice]


def notify_editors(job: WeeklyRun) -> str:
    """Notify editors of their pending issues, and the director of very late issues."""
    server = server_of(job)
    with mailings.sending(job.store):
        cut_off = notices.mark_interrupted(job.store)
    mails, unreachable = mails_to_editors(job)
    n_sent = send(job.store, server, [*mails, *mails_to_director(job)])
    parts = [f"{count_text(n_sent, 'email')} sent."] if n_sent else []
    return (
        " ".join([*parts, *mail_texts.interruption_lines(cut_off), *mail_texts.unreachable_lines(unreachable)])
        or "All notices were already sent."
    )


def plan(job: WeeklyRun) -> str:
    """Describe the recipients of the notices that would be sent."""
    if isinstance(job.server, str):
        return job.server
    mails, unreachable = mails_to_editors(job)
    to = [mail.recipient.address for mail in [*mails, *mails_to_director(job)]]
    parts = [f"Would notify {', '.join(to)}." if to else "No notice to send."]
    return " ".join([*parts, *mail_texts.unreachable_lines(unreachable)])


def mails_to_editors(job: WeeklyRun) -> tuple[list[Mail], dict[str, list[str]]]:
    """Write an email to each editor with pending issues that no earlier email has announced.

    An issue is announced again when it becomes late, and when it becomes very late.

    Returns
    -------
    mails : list of Mail
    unreachable : dict from str to list of str
        For each editor without an email address, the reports with pending issues. Reports without an editor have the
        key "".
    """
    store = job.store
    names = {report.code: report.name for report in catalogue.reports(store)}
    known, at = people.editorships(store), editor_addresses(store)
    of_editor: dict[str, list[PendingIssue]] = {}
    unreachable: dict[str, list[str]] = {}
    for one in pending(store, list(names), today=job.today):
        for editor in people.editors_on(known, one.report, job.today) or [""]:
            if at.get(editor):
                since = people.editor_since(known, one.report, editor, job.today)
                own = replace(one, can_be_late=one.can_be_late and one.issue >= since)
                of_editor.setdefault(editor, []).append(own)
            elif one.report not in unreachable.setdefault(editor, []):
                unreachable[editor].append(one.report)
    mails = []
    for editor, pending_issues in of_editor.items():
        about = {_notice(one, editor): one for one in pending_issues}
        if new := [about[notice] for notice in notices.unsent_notices(store, about)]:
            text = mail_texts.editor_text(editor, new, names, job.week.desk_url)
            sent = [_notice(one, editor) for one in new]
            mails.append(Mail(Recipient(at[editor], editor), mail_texts.subject(new), text, sent))
    return mails, unreachable


def mails_to_director(job: WeeklyRun) -> list[Mail]:
    """Write an email about very late issues that no earlier email to the director has mentioned.

    Returns an empty list if there are no such issues, or if the director has no address.
    """
    if not job.week.director:
        return []
    names = {report.code: report.name for report in catalogue.reports(job.store)}
    late = {
        _notice(one, ""): one
        for one in pending(job.store, list(names), today=job.today)
        if lateness(one) == "very late"
    }
    if not (new := notices.unsent_notices(job.store, late)):
        return []
    known = people.editorships(job.store)
    ones = [late[notice] for notice in new]
    editors = {one.report: people.editors_with_start(known, one.report, one.issue, job.today) for one in ones}
    text = mail_texts.director_text(ones, names, editors)
    return [Mail(Recipient(job.week.director), mail_texts.very_late_subject(len(ones)), text, new)]


def server_of(job: WeeklyRun) -> MailServer:
    """Return the mail server.

    Raises
    ------
    SkipStep
        If no mail server is configured.
    """
    if isinstance(job.server, str):
        raise SkipStep(job.server)
    return job.server


def send(store: Store, server: MailServer, mails: Iterable[Mail]) -> int:
    """Send emails and return the number that the server accepted.

    Each email is claimed in the database before it is sent, and its result is recorded afterwards.

    Raises
    ------
    DataError
        If the mail server can't be used, refuses an email, or stops part-way. All other emails have been sent, or will
        be sent by the next call.
    """
    ready = [(mail, automatic_message(mail.subject, mail.recipient, mail.text, server)) for mail in mails]
    if not ready:
        return 0
    n_sent, refused = 0, []
    with mailings.sending(store), mail_connection(server) as client:
        for mail, made in ready:
            if len(notices.unsent_notices(store, mail.about)) < len(mail.about):
                continue  # another process sent it in the meantime
            claimed = notices.claim(store, mail.about)
            delivery = deliver(client, server.sender, mail.recipient, made)
            notices.settle(store, claimed, delivery.state, delivery.reason)
            n_sent += delivery.state == "sent"
            if delivery.state != "sent":
                refused.append(f"The email to {mail.recipient.address} was not delivered: {delivery.reason}.")
            if delivery.is_over:
                break
    if refused:
        raise DataError(" ".join(refused))
    return n_sent


def automatic_message(subject: str, recipient: Recipient, text: str, server: MailServer) -> EmailMessage:
    """Compose an automatic email, with a header that prevents out-of-office replies."""
    made = create_email(subject, recipient, server)
    made["Auto-Submitted"] = "auto-generated"
    made.set_content(text, cte="quoted-printable")
    return made


def _notice(one: PendingIssue, person: str) -> Notice:
    return Notice(mail_texts.kind_of(one), one.issue, one.report, person)
