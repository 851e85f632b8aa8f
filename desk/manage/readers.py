"""Each report's readers, and mail that may not have been delivered."""

from collections.abc import Sequence
from functools import partial

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.importers.addresses import read_addresses
from presort.data.mail import mailings, readers
from presort.data.records import Mailing, MailingState, Reader
from presort.data.running import personal_data
from presort.data.store import Store
from presort.data.workspace.scratch import scratch_folder
from presort.desk import pages
from presort.desk.manage.reports import NO_REPORT
from presort.desk.sending.box import settle_cut_off, show_setup
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, confirm, table, visitor, window
from presort.desk.ui.download import offer_json

LOST: tuple[MailingState, ...] = ("unsure", "refused", "pending")
DAY, MINUTE = "%Y-%m-%d", "%Y-%m-%d %H:%M"
WRITTEN = "New readers"  # name of the text field in error messages: "New readers, line 3: …"
READER_COLUMNS = {"address": "Address", "name": "Name", "joined": "Since"}
COLUMNS = {"address": "Address", "name": "Name", "report": "Report", "joined": "Since"}
LOST_COLUMNS = {
    "report": "Report",
    "issue": "Issue",
    "address": "Address",
    "state": "State",
    "changed_at": "When (UTC)",
    "reason": "Reason",
}
EXPORTED = "All data about this reader as a JSON file. The log records the export."
LEFT = "Former"
STATES = {"unsure": "may have arrived", "refused": "refused", "pending": "will be retried"}


def show() -> None:
    """Draw the readers of all reports, then the mail that may not have arrived. A click on a row opens its dialog."""
    store = cache.store()
    reports = [report.code for report in catalogue.reports(store)]
    if not reports and not readers.readers(store, left=True):
        st.info(NO_REPORT)
        return
    settle_cut_off(store)
    known = readers.readers(store, left=True)
    every = reader_table(known).assign(
        report=[one.report for one in known], has_left=[one.left is not None for one in known]
    )
    has_left = every["has_left"]
    shown, row = table.head(every[~has_left], "readers", {LEFT: every[has_left]})
    if row.button("Add readers", key="open-add-readers", icon=":material/person_add:", disabled=not reports):
        window.keep_open("Add readers", _draw_new, reports)
    if shown.empty:
        st.info("No readers.")
    else:
        picked = table.pick(shown, COLUMNS, "readers")
        if picked is not None:
            one = shown.iloc[picked]
            is_reading = not one["has_left"]
            window.keep_open(escape(one["address"]), _draw_reader, one["report"], one["address"], is_reading)
    show_setup()
    _draw_lost_mail(store)


def reader_table(reading: Sequence[Reader]) -> pd.DataFrame:
    """Return a table with one row per reader: address, name and date of subscription."""
    rows = [(one.address, one.name, f"{one.joined:{DAY}}") for one in reading]
    return pd.DataFrame(rows, columns=list(READER_COLUMNS))


def lost_mail_table(lost: Sequence[Mailing]) -> pd.DataFrame:
    """Return a table with one row per email: report, issue, address, state, time and mail server's reply."""
    rows = [
        (one.report, str(one.issue), one.address, STATES[one.state], f"{one.changed_at:{MINUTE}}", one.reason)
        for one in lost
    ]
    return pd.DataFrame(rows, columns=list(LOST_COLUMNS))


def _draw_new(reports: Sequence[str]) -> None:
    asked = st.query_params.get("report")
    with st.form("new-readers-form", border=False):
        at = reports.index(asked) if asked in reports else 0
        report = st.selectbox("Report", reports, at, key="new-readers-report")
        text = st.text_area(
            "Readers",
            key="new-readers",
            height=120,
            help="One reader per line: an address, or an address, a comma and a name.",
        )
        is_added = st.form_submit_button("Add", key="add-readers", type="primary")
    if is_added:
        try:
            found = _parse_addresses(text)
        except DataError as error:
            st.error(escape(str(error)))
            return
        known = {one.address.lower() for one in readers.readers(cache.store(), report)}
        written = {address.lower(): address for address, _ in found}
        new = [address for key, address in written.items() if key not in known]
        done = f"{report}: {count_text(len(new), 'reader')} added, {len(written) - len(new):,} already subscribed"
        confirm.make_in_window(done, partial(_add, cache.store(), report, found), partial(_remove, report, new))


def _draw_reader(report: str, address: str, is_reading: bool) -> None:
    store, person = cache.store(), visitor.person()
    with st.container(horizontal=True):
        is_removed = is_reading and st.button(escape(f"Remove from {report}"), key="remove-reader")
        export = partial(personal_data.reader_data, store, address, person=person)
        offer_json("Export data", lambda: personal_data.as_json(export()), "reader.json", help=EXPORTED)
        is_erased = st.button(
            "Erase",
            key="erase-reader",
            help="Unsubscribes the reader from all reports, and deletes their address and name.",
        )
    if is_removed:
        remove = partial(readers.remove_reader, store, report, address, person=person)
        confirm.make_in_window(
            f"{address} removed from {report}", remove, partial(_add, store, report, [(address, "")])
        )
    if is_erased:
        reads = ", ".join(one.report for one in readers.readers(store) if one.address == address) or "no report"
        says = (
            f"Unsubscribes {address} from {reads}, and deletes their address and name. Queued mail is not sent. This "
            "can't be undone."
        )
        erase = partial(readers.erase_reader, store, address, person=person)
        confirm.ask_in_window(f"Erase {address}?", says, "Reader erased", erase, verb="Erase")


def _draw_lost_mail(store: Store) -> None:
    """Draw the emails that may not have arrived, newest first. A click on a row opens its dialog."""
    lost = [one for state in LOST for one in mailings.mailings(store, state=state) if _is_lost(one)]
    if not lost:
        return
    lost.sort(key=lambda one: one.changed_at, reverse=True)
    st.header("Mail that may not have arrived", anchor=False)
    picked = table.pick(lost_mail_table(lost), LOST_COLUMNS, "lost-mail")
    if picked is not None:
        one = lost[picked]
        window.keep_open(escape(f"{one.report} {one.issue} to {one.address}"), _draw_mail, one)


def _draw_mail(one: Mailing) -> None:
    of_mail = (cache.store(), one.report, one.issue, one.address)
    st.text(f"{STATES[one.state]} {one.reason}")
    with st.container(horizontal=True, vertical_alignment="center"):
        if st.button("Send again", key="send-again", disabled=one.state == "pending"):
            done = f"{one.report} {one.issue} will be sent to {one.address} with the next mailing"
            confirm.make_in_window(done, partial(mailings.send_again, *of_mail))
        if st.button("Don't send", key="let-be", disabled=one.state == "refused"):
            says = f"{one.report} {one.issue} will not be sent to {one.address} again, even if it has not arrived."
            confirm.ask_in_window(
                "Don't send?", says, "Not sent", partial(mailings.give_up, *of_mail), verb="Don't send"
            )
        st.page_link(
            pages.link("publish"),
            label="Open Publish to send",
            icon=":material/outgoing_mail:",
            query_params={"report": one.report, "issue": str(one.issue)},
        )


def _is_lost(one: Mailing) -> bool:
    """Return True if delivery was attempted and the reader has not been erased."""
    return one.address != "" and (one.state != "pending" or one.reason != "")


def _parse_addresses(text: str) -> list[tuple[str, str]]:
    """Parse a string in the format of an address file.

    The string is written to a temporary file, which is deleted immediately afterwards.
    """
    with scratch_folder() as folder:
        path = folder / WRITTEN
        path.write_text(text, encoding="utf-8")
        return read_addresses(path)


def _add(store: Store, report: str, new: Sequence[tuple[str, str]]) -> None:
    readers.add_readers(store, report, new, person=visitor.person())


def _remove(report: str, addresses: Sequence[str]) -> None:
    with cache.store().transaction() as store:
        for address in addresses:
            readers.remove_reader(store, report, address, person=visitor.person())
