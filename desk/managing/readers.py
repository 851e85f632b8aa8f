"""Readers: who gets which report by mail, and which mail did not arrive."""

from collections import Counter
from collections.abc import Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory

import pandas as pd
import streamlit as st

from data import catalogue, mailings, readers
from data.errors import DataError
from data.importers.addresses import read_addresses
from data.records import Mailing, MailingState, Reader
from data.store import Store
from desk import access, cache
from desk.boxes.send_box import settle_cut_off
from desk.choice import choice
from desk.managing import tables
from desk.managing.asking import ask
from desk.pages import finish
from desk.words import manage as manage_words
from desk.words import readers as words
from desk.words import sending as sending_words
from desk.words.text import plain

LOST: tuple[MailingState, ...] = ("unsure", "refused", "pending")
DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"


def show() -> None:
    """Draw who reads one report, and beside it what can be changed."""
    store = cache.store()
    reports = {report.code: report for report in catalogue.reports(store, retired=True)}
    if not reports:
        st.info(plain(manage_words.NO_REPORT))
        return
    settle_cut_off(store)
    if unsure := Counter(one.report for one in mailings.mailings(store, state="unsure")):
        st.warning(plain(words.unsure_in(unsure)))
    left, right = st.columns([3, 2], gap="large")
    with right:
        report = choice(
            st.container(),
            manage_words.REPORT,
            list(reports),
            name="report",
            named=lambda code: manage_words.report_named(reports[code]),
        )
        reading = readers.readers(store, report)
        with st.expander(words.NEW, expanded=not reading, icon=":material/person_add:", key="box-new-readers"):
            _draw_new(report, reading)
        if reading:
            with st.expander(words.LEAVING, icon=":material/person_remove:", key="box-leaving"):
                _draw_leaving(report, reading)
        if known := readers.readers(store, left=True):
            with st.expander(words.FORGETTING, icon=":material/person_off:", key="box-forgetting"):
                _draw_forgetting(known)
    with left:
        if reading:
            tables.draw(reader_table(reading), words.READER_COLUMNS, f"readers-{report}")
        else:
            st.info(plain(words.nobody(report)))
        _draw_lost(store, report)


def reader_table(reading: Sequence[Reader]) -> pd.DataFrame:
    """Give a row a reader: address, name, and since when."""
    rows = [(one.address, one.name, f"{one.joined:{DAY}}") for one in reading]
    return pd.DataFrame(rows, columns=list(words.READER_COLUMNS))


def lost_table(lost: Sequence[Mailing]) -> pd.DataFrame:
    """Give a row a mail: issue, address, what became of it, when, and what the mail server said."""
    rows = [
        (str(one.issue), one.address, words.STATES[one.state], f"{one.changed_at:{MINUTE}}", one.reason) for one in lost
    ]
    return pd.DataFrame(rows, columns=list(words.LOST_COLUMNS))


def _draw_new(report: str, reading: Sequence[Reader]) -> None:
    text = st.text_area(words.ADDRESSES, key="new-readers", height=120)
    if st.button(words.ADD, key="add-readers", disabled=not text.strip()):
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
        if st.button(words.REMOVE, key="remove-reader"):
            change = partial(readers.remove_reader, cache.store(), report, who, person=access.current_person())
            ask(sending_words.leaves(report, who), change)


def _draw_forgetting(known: Sequence[Reader]) -> None:
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox(words.WHO, sorted({one.address for one in known}), key="forgetting")
        if st.button(words.ERASE, key="erase-reader"):
            reads = [one.report for one in known if one.address == who and one.left is None]
            change = partial(readers.erase_reader, cache.store(), who, person=access.current_person())
            ask(words.erased(who, reads), change)


def _draw_lost(store: Store, report: str) -> None:
    """Draw the mails of a report that did not arrive, or nobody knows, newest first; and what can be done about one."""
    lost = [one for state in LOST for one in mailings.mailings(store, report, state=state) if _is_lost(one)]
    if not lost:
        return
    lost.sort(key=lambda one: one.changed_at, reverse=True)
    st.header(words.LOST, anchor=False)
    tables.draw(lost_table(lost), words.LOST_COLUMNS, f"lost-{report}")
    one = st.selectbox(words.WHICH, lost, format_func=words.mail_named, key="which-mail")
    of_mail = (store, one.report, one.issue, one.address)
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button(words.AGAIN, key="send-again", disabled=one.state == "pending"):
            ask(words.sent_again(one), partial(mailings.send_again, *of_mail))
        if st.button(words.LET_BE, key="let-be", disabled=one.state == "refused"):
            ask(sending_words.given_up(one.report, one.issue, one.address), partial(mailings.give_up, *of_mail))
        st.page_link(
            st.Page(finish.show, url_path="finish"),
            label=words.TO_FINISH,
            icon=":material/outgoing_mail:",
            query_params={"report": one.report, "issue": str(one.issue)},
        )


def _is_lost(one: Mailing) -> bool:
    """Tell whether a mail was tried, and its reader is not erased."""
    return one.address != "" and (one.state != "pending" or one.reason != "")


def _read(text: str) -> list[tuple[str, str]]:
    """Read what was written as files of addresses are read; it is on disk no longer than that takes."""
    with TemporaryDirectory(prefix="presort-") as folder:
        path = Path(folder) / words.WRITTEN
        path.write_text(text, encoding="utf-8")
        return read_addresses(path)


def _add(store: Store, report: str, new: Sequence[tuple[str, str]]) -> None:
    readers.add_readers(store, report, new, person=access.current_person())
