"""Widgets that mail a report issue to its readers, or a test to one address, and show delivery counts.

Sending runs in the background and continues if the user leaves the page. Several pages may send at the same time,
because `presort.data.mail.mailings` ensures that no reader gets a second email. Editors see the number of readers, but
not their addresses.
"""

from collections import Counter
from collections.abc import Mapping
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date, datetime

import streamlit as st

from presort.data.errors import DataError, RefusedError
from presort.data.mail import mailings, readers
from presort.data.records import MailingState
from presort.data.running.service import is_demo
from presort.data.store import Store
from presort.desk import settings
from presort.desk.sending import sender, texts
from presort.desk.settings import MailServer
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, confirm, frame, visitor, window

LOOKED_AFTER = 0.5  # seconds between updates of the progress bar
JOBS = "mailed"  # session key for the mailings that this visitor started and whose result has not been shown yet
MAIL = "Send to readers"
MAIL_NOT_SET_UP = "Mail isn't set up."
STATES: Mapping[MailingState, str] = {
    "sent": "Sent",
    "refused": "Refused",
    "unsure": "Delivery unknown",
    "given up": "Given up",
    "sending": "Sending",
}
Issue = tuple[str, date]
Sending = Future[Counter[str]]


def show_progress(report: str, issue: date) -> None:
    """Show the progress or the result of a mailing that this visitor started.

    If the mailing failed with a `DataError`, its message is shown. Other exceptions are raised.
    """
    with st.container():  # always drawn, so that the expanders below it keep their state
        job = _jobs().get((report, issue))
        if job and not job.done():
            _watch(job, report, issue)
        elif job:
            del _jobs()[report, issue]  # show the result only once
            cache.store().end_snapshot()  # the snapshot may have been taken before the mailing ended
            _draw_result(job, report, issue)


def n_readers(report: str, issue: date) -> int:
    """Return the number of readers that a mailing would reach. It is 0 in the demo, or if mail isn't set up."""
    if not _server() or is_demo(cache.store()):
        return 0
    return len(mailings.pending_addresses(cache.store(), report, issue))


def no_mail_reason(report: str) -> str:
    """Return the reason why `n_readers` is 0 for one of the report's issues, to append to a sentence."""
    if is_demo(cache.store()):
        return "the demo sends no mail"
    if not is_set_up():
        return "mail isn't set up"
    return "all readers already have this issue" if readers.readers(cache.store(), report) else "there are no readers"


def is_set_up() -> bool:
    """Return True if mail is set up."""
    return _server() is not None


def has_begun(report: str, issue: date, since: datetime) -> bool:
    """Return True if any email of a report issue was sent, attempted or given up since the given time."""
    known = mailings.mailings(cache.store(), report, issue)
    return any(one.state != "pending" and one.changed_at >= since for one in known)


def show(report: str, issue: date) -> None:
    """Show a published report issue's delivery counts, and a button to mail it to readers whose email is pending."""
    server = _server()
    if (report, issue) not in _jobs():
        settle_cut_off(visitor.whole_store())
        states = _states(report, issue)
        n_pending = len(mailings.pending_addresses(cache.store(), report, issue))
        if server or states or n_pending:
            st.markdown(escape(readers_text(states, n_pending)))
            if states.get("unsure"):
                st.caption("On *Manage* → *Readers*, the director can choose to resend mail that may not have arrived.")
        if server and not is_demo(cache.store()):
            _draw_mailing(report, issue, n_pending, server)
    if server:
        _draw_test(report, issue, server)
    else:
        _draw_not_set_up()


def readers_text(states: Mapping[MailingState, int], n_pending: int) -> str:
    """Format a report issue's number of readers, in total and by the state of their mail.

    Readers who unsubscribed before delivery are not included.

    Examples
    --------
    >>> readers_text({}, 24), readers_text({"sent": 22, "refused": 1, "unsure": 1}, 0)
    ('Readers: 24 · Pending 24', 'Readers: 24 · Sent 22 · Refused 1 · Delivery unknown 1')
    >>> readers_text({"sent": 1, "pending": 2}, 1), readers_text({}, 0)
    ('Readers: 2 · Sent 1 · Pending 1', 'Readers: 0')
    """
    counts = [(label, states.get(state, 0)) for state, label in STATES.items()] + [("Pending", n_pending)]
    parts = [f"{label} {n:,}" for label, n in counts if n]
    return " · ".join([f"Readers: {sum(n for _, n in counts):,}", *parts])


def show_test(report: str, issue: date) -> None:
    """Draw a form that mails an unpublished report issue to one address as a test.

    Draws nothing if mail isn't set up.
    """
    server = _server()
    if server:
        _draw_test(report, issue, server)


def settle_cut_off(store: Store) -> None:
    """Mark emails of interrupted mailings as unsure (delivery unknown), unless a mailing is running."""
    if mailings.mailings(store, state="sending"):
        mailings.unsure_mailings(store)


def show_setup() -> None:
    """Show the first missing mail setting. Draws nothing if mail is set up."""
    try:
        settings.mail_server()
    except RefusedError as error:
        st.caption(escape(str(error)))


def is_mailed(report: str, issue: date) -> bool:
    """Return True if a report issue was mailed to any reader. Returns False if the visitor may not edit the report."""
    return visitor.may_edit(report) and _states(report, issue)["sent"] > 0


def _draw_not_set_up() -> None:
    """Show editors an alternative to mailing, and show directors the missing setting."""
    try:
        settings.mail_server()
    except RefusedError as error:
        if frame.role() == "editor":
            st.caption(f"{MAIL_NOT_SET_UP} Ask your director, or copy the text above and send it yourself.")
        else:
            st.caption(escape(f"{MAIL_NOT_SET_UP} {error}"))


def _server() -> MailServer | None:
    try:
        return settings.mail_server()
    except RefusedError:
        return None


def _states(report: str, issue: date) -> Counter[MailingState]:
    return Counter(one.state for one in mailings.mailings(cache.store(), report, issue))


def _draw_mailing(report: str, issue: date, n_pending: int, server: MailServer) -> None:
    if n_pending:
        if st.button(MAIL, key="mail-it", icon=":material/outgoing_mail:"):
            window.ask(MAIL, _confirm, report, issue, n_pending, server)
    elif st.session_state.get("mail-it"):  # another session sent the emails after this button was drawn
        st.info(escape(texts.nothing_to_send(report, issue)))


def _confirm(report: str, issue: date, n_pending: int, server: MailServer) -> None:
    """Ask for confirmation in a dialog, because an email can't be recalled and a double click must not send it."""
    if (report, issue) in _jobs():
        st.rerun()  # closes the dialog, so that the page shows the progress
    st.write(escape(f"{report} {issue} will be sent to {count_text(n_pending, 'reader')}. This can't be undone."))
    confirm.answers("Send mail", "mail-it-now", _begin, report, issue, server)


def _begin(report: str, issue: date, server: MailServer) -> None:
    if (report, issue) not in _jobs():
        _jobs()[report, issue] = _mailing_executor().submit(_send, cache.store(), report, issue, server)


def _send(store: Store, report: str, issue: date, server: MailServer) -> Counter[str]:
    try:
        return sender.send(store, report, issue, server)
    except DataError as error:
        raise RefusedError(texts.mask_addresses(str(error), server.sender)) from error


def _draw_result(job: Sending, report: str, issue: date) -> None:
    try:
        ended = job.result()
    except DataError as error:
        st.error(escape(str(error)))
        return
    if ended:
        st.success(texts.describe_result(ended["sent"], ended["refused"], ended["pending"]), icon=":material/check:")
    else:
        st.info(escape(texts.nothing_to_send(report, issue)))


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: Sending, report: str, issue: date) -> None:
    if job.done():
        st.rerun()
    states = _states(report, issue)
    n_readers = sum(states.values())
    n_done = n_readers - states["pending"] - states["sending"]
    st.progress(n_done / n_readers if n_readers else 0.0, f"Mailing: {n_done:,} of {count_text(n_readers, 'reader')}")


def _draw_test(report: str, issue: date, server: MailServer) -> None:
    with (
        st.expander("Send a test", icon=":material/drafts:", key="send-test"),
        st.form(f"test-{report}-{issue}", border=False),
    ):
        st.caption("The email is marked as a draft and sent only to this address.")
        address = st.text_input("Address", key="test-address")
        if st.form_submit_button("Send"):
            _send_test(report, issue, address.strip(), server)


def _send_test(report: str, issue: date, address: str, server: MailServer) -> None:
    if not address:
        st.error("Enter an address.")
        return
    try:
        with st.spinner("Sending"):
            sender.send_draft(cache.store(), report, issue, address, server, person=visitor.person())
    except DataError as error:
        st.error(escape(" ".join(str(error).split())))
    else:
        st.success(escape(texts.describe_sent_draft(address)))


def _jobs() -> dict[Issue, Sending]:
    jobs: dict[Issue, Sending] = st.session_state.setdefault(JOBS, {})
    return jobs


@st.cache_resource(show_spinner=False)
def _mailing_executor() -> ThreadPoolExecutor:
    """Return the executor for mailings. It has one thread, because only one sender may run in a workspace at a time."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
