"""Mail a report issue to its readers, or a test of it to one address, and say who has it.

Sending goes on in the background when the page is left. That nobody gets a mail twice is the matter of
`presort.data.mail.mailings`, not of what a page shows; so two pages may well try to. An editor is told how many
readers, not who.
"""

from collections import Counter
from concurrent.futures import Future, ThreadPoolExecutor
from datetime import date

import streamlit as st

from presort.data.errors import DataError, RefusedError
from presort.data.mail import mailings
from presort.data.records import MailingState
from presort.data.store import Store
from presort.desk import settings
from presort.desk.sending import box_words as words
from presort.desk.sending import sender
from presort.desk.sending import words as sending_words
from presort.desk.settings import MailServer
from presort.desk.text import counted, plain
from presort.desk.ui import cache, confirm, frame, visitor, window

LOOKED_AFTER = 0.5  # seconds
JOBS = "mailed"  # in the session: what this visitor had mailed, until its end is said

Issue = tuple[str, date]
Sending = Future[Counter[str]]


def say(report: str, issue: date) -> None:
    """Show how far a report issue is that this visitor had mailed, or how that went; it may be reopened by then.

    What is wrong outside the program is one line; a bug is raised.
    """
    with st.container():  # always there: what is open further down stays open
        job = _jobs().get((report, issue))
        if job and not job.done():
            _watch(job, report, issue)
        elif job:
            del _jobs()[report, issue]  # said once
            _say_end(job, report, issue)


def show(report: str, issue: date) -> None:
    """Show which readers got a published report issue, and offer to mail it to the others."""
    server = _server()
    if (report, issue) not in _jobs():
        settle_cut_off(visitor.whole_store())
        states = _states(report, issue)
        n_pending = len(mailings.pending_addresses(cache.store(), report, issue))
        if server or states or n_pending:
            st.markdown(plain(words.who_has_it(report, states, n_pending)))
        if server:
            _draw_mailing(report, issue, n_pending, server)
    if server:
        _draw_test(report, issue, server)
    else:
        _say_not_set_up()


def show_test(report: str, issue: date) -> None:
    """Offer a test of a report issue in the making, where mail can be sent."""
    server = _server()
    if server:
        _draw_test(report, issue, server)


def settle_cut_off(store: Store) -> None:
    """Find mail that was cut off in the middle, unless somebody is just sending it: from now on it is unsure."""
    if mailings.mailings(store, state="sending"):
        mailings.unsure(store)


def show_setup() -> None:
    """Draw what a director has to set before mail can be sent; nothing once it can."""
    try:
        settings.mail_server()
    except RefusedError as error:
        st.caption(plain(str(error)))


def is_mailed(report: str, issue: date) -> bool:
    """Return whether any reader has been sent a report issue, for who may edit the report; no for who may not."""
    return visitor.may_edit(report) and _states(report, issue)["sent"] > 0


def _say_not_set_up() -> None:
    try:
        settings.mail_server()
    except RefusedError as error:
        st.caption(plain(words.not_set_up(frame.role(), str(error))))


def _server() -> MailServer | None:
    try:
        return settings.mail_server()
    except RefusedError:
        return None


def _states(report: str, issue: date) -> Counter[MailingState]:
    return Counter(one.state for one in mailings.mailings(cache.store(), report, issue))


def _draw_mailing(report: str, issue: date, n_pending: int, server: MailServer) -> None:
    if n_pending:
        if st.button(words.MAIL, key="mail-it", icon=":material/outgoing_mail:"):
            window.ask(words.MAIL, _confirm, report, issue, n_pending, server)
    elif st.session_state.get("mail-it"):  # clicked where it stood before another window was quicker
        st.info(plain(sending_words.nothing_new(report, issue)))


def _confirm(report: str, issue: date, n_pending: int, server: MailServer) -> None:
    """Show in a window what will be mailed: the second of two hasty clicks on what was here before must not do it."""
    if (report, issue) in _jobs():
        st.rerun()  # closes the window, and the page says how far it is
    st.write(plain(f"{report} {issue} goes to {counted(n_pending, 'reader')}. A mail can't be taken back."))
    confirm.answers("Mail it", "mail-it-now", _begin, report, issue, server)


def _begin(report: str, issue: date, server: MailServer) -> None:
    if (report, issue) not in _jobs():
        _jobs()[report, issue] = _one_at_a_time().submit(_send, cache.store(), report, issue, server)


def _send(store: Store, report: str, issue: date, server: MailServer) -> Counter[str]:
    try:
        return sender.send(store, report, issue, server)
    except DataError as error:
        raise RefusedError(words.not_mailed(str(error), server.sender)) from error


def _say_end(job: Sending, report: str, issue: date) -> None:
    try:
        ended = job.result()
    except DataError as error:
        st.error(plain(str(error)))
        return
    if ended:
        st.success(sending_words.sent(ended["sent"], ended["refused"], ended["pending"]), icon=":material/check:")
    else:
        st.info(plain(sending_words.nothing_new(report, issue)))


@st.fragment(run_every=LOOKED_AFTER)
def _watch(job: Sending, report: str, issue: date) -> None:
    if job.done():
        st.rerun()
    states = _states(report, issue)
    n_readers = sum(states.values())
    n_done = n_readers - states["pending"] - states["sending"]
    st.progress(n_done / n_readers if n_readers else 0.0, f"Mailing it: {n_done:,} of {counted(n_readers, 'reader')}.")


def _draw_test(report: str, issue: date, server: MailServer) -> None:
    with (
        st.expander("Send a test", icon=":material/drafts:", key="send-test"),
        st.form(f"test-{report}-{issue}", border=False),
    ):
        st.markdown("It is marked DRAFT and goes to this address alone.")
        address = st.text_input("Address", key="test-address")
        if st.form_submit_button("Send"):
            _send_test(report, issue, address.strip(), server)


def _send_test(report: str, issue: date, address: str, server: MailServer) -> None:
    if not address:
        st.error("Write the address that the test goes to.")
        return
    try:
        with st.spinner("Sending …"):
            sender.send_draft(cache.store(), report, issue, address, server, person=visitor.person())
    except DataError as error:
        st.error(plain(" ".join(str(error).split())))
    else:
        st.success(plain(sending_words.draft_sent(address)))


def _jobs() -> dict[Issue, Sending]:
    jobs: dict[Issue, Sending] = st.session_state.setdefault(JOBS, {})
    return jobs


@st.cache_resource(show_spinner=False)
def _one_at_a_time() -> ThreadPoolExecutor:
    """Return what mails one report issue after the other: a workspace lets none be sent beside another."""
    return ThreadPoolExecutor(max_workers=1, thread_name_prefix="mail")
