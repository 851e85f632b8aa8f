"""Readers: who gets which report by mail, and which mail did not arrive."""

from collections import Counter
from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.importers.addresses import read_addresses
from presort.data.mail import mailings, readers
from presort.data.records import Mailing, MailingState, Reader
from presort.data.store import Store
from presort.data.workspace.scratch import scratch_folder
from presort.desk import pages
from presort.desk.manage import reader_words as words
from presort.desk.manage import words as manage_words
from presort.desk.sending import words as sending_words
from presort.desk.sending.box import settle_cut_off, show_setup
from presort.desk.text import plain
from presort.desk.ui import cache, field, table, visitor
from presort.desk.ui.choice import report_choice
from presort.desk.ui.confirm import ask

LOST: tuple[MailingState, ...] = ("unsure", "refused", "pending")
DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


def show() -> None:
    """Draw who reads one report, and beside it what can be changed."""
    store = cache.store()
    reports = catalogue.reports(store, retired=True)
    if not reports:
        st.info(plain(manage_words.NO_REPORT))
        return
    settle_cut_off(store)
    if unsure := Counter(one.report for one in mailings.mailings(store, state="unsure")):
        st.warning(plain(words.unsure_in(unsure)))
    left, right = st.columns([3, 2], gap="large")
    with right:
        report = report_choice(st.container(), reports)
        reading = readers.readers(store, report)
        is_retired = any(one.code == report and one.is_retired for one in reports)
        if is_retired:
            st.caption(plain(words.no_new_reader(report)))
        else:
            with st.expander("New readers", expanded=not reading, icon=":material/person_add:", key="box-new-readers"):
                _draw_new(report, reading)
        if reading:
            with st.expander("Somebody leaves", icon=":material/person_remove:", key="box-leaving"):
                _draw_leaving(report, reading)
        if known := readers.readers(store, left=True):
            with st.expander("Forget somebody for good", icon=":material/person_off:", key="box-forgetting"):
                _draw_forgetting(known)
    with left:
        if reading:
            table.draw(reader_table(reading), words.READER_COLUMNS, f"readers-{report}")
        else:
            st.info(plain(f"No readers of {report} yet."))
        show_setup()
        _draw_lost(store, report)


def reader_table(reading: Sequence[Reader]) -> pd.DataFrame:
    """Return a row a reader: address, name, and since when."""
    rows = [(one.address, one.name, f"{one.joined:{DAY}}") for one in reading]
    return pd.DataFrame(rows, columns=list(words.READER_COLUMNS))


def lost_table(lost: Sequence[Mailing]) -> pd.DataFrame:
    """Return a row a mail: issue, address, what became of it, when, and what the mail server said."""
    rows = [
        (str(one.issue), one.address, words.STATES[one.state], f"{one.changed_at:{MINUTE}}", one.reason) for one in lost
    ]
    return pd.DataFrame(rows, columns=list(words.LOST_COLUMNS))


def _draw_new(report: str, reading: Sequence[Reader]) -> None:
    text = st.text_area(
        "One a line: an address, or an address, a comma and a name", key=field.key_of("new-readers"), height=120
    )
    if st.button("Add", key="add-readers", disabled=not text.strip()):
        try:
            found = _read(text)
        except DataError as error:
            st.error(plain(str(error)))
            return
        known = {one.address.lower() for one in reading}
        written = {address.lower(): address for address, _ in found}
        new = [address for key, address in written.items() if key not in known]
        change = partial(_add, cache.store(), report, found)
        ask(words.joins(report, len(written), new), change, clears=["new-readers"])


def _draw_leaving(report: str, reading: Sequence[Reader]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox(words.WHO, [one.address for one in reading], key="leaving")
        if st.button("Remove from this report", key="remove-reader"):
            change = partial(readers.remove_reader, cache.store(), report, who, person=visitor.person())
            ask(sending_words.leaves(report, who), change)


def _draw_forgetting(known: Sequence[Reader]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox(words.WHO, sorted({one.address for one in known}), key="forgetting")
        if st.button("Forget", key="erase-reader"):
            reads = [one.report for one in known if one.address == who and one.left is None]
            change = partial(readers.erase_reader, cache.store(), who, person=visitor.person())
            ask(words.erased(who, reads), change)


def _draw_lost(store: Store, report: str) -> None:
    """Draw the mails of a report that did not arrive, or nobody knows, newest first; and what can be done about one."""
    lost = [one for state in LOST for one in mailings.mailings(store, report, state=state) if _is_lost(one)]
    if not lost:
        return
    lost.sort(key=lambda one: one.changed_at, reverse=True)
    st.header("Mail that may not have arrived", anchor=False)
    table.draw(lost_table(lost), words.LOST_COLUMNS, f"lost-{report}")
    one = st.selectbox(
        "Which",
        lost,
        format_func=lambda mail: f"{mail.issue} to {mail.address}, {words.STATES[mail.state]}",
        key="which-mail",
    )
    of_mail = (store, one.report, one.issue, one.address)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Send again", key="send-again", disabled=one.state == "pending"):
            ask(words.sent_again(one), partial(mailings.send_again, *of_mail))
        if st.button("Let it be", key="let-be", disabled=one.state == "refused"):
            ask(sending_words.given_up(one.report, one.issue, one.address), partial(mailings.give_up, *of_mail))
        st.page_link(
            pages.link("publish"),
            label="Mail it on Publish",
            icon=":material/outgoing_mail:",
            query_params={"report": one.report, "issue": str(one.issue)},
        )


def _is_lost(one: Mailing) -> bool:
    """Return whether a mail was tried, and its reader is not erased."""
    return one.address != "" and (one.state != "pending" or one.reason != "")


def _read(text: str) -> list[tuple[str, str]]:
    """Read what was written as files of addresses are read; it is on disk no longer than that takes."""
    with scratch_folder() as folder:
        path = folder / words.WRITTEN
        path.write_text(text, encoding="utf-8")
        return read_addresses(path)


def _add(store: Store, report: str, new: Sequence[tuple[str, str]]) -> None:
    readers.add_readers(store, report, new, person=visitor.person())
