"""Mailings of report issues to readers. Each report issue is sent to a reader at most once.

A unique constraint allows one mailing per report issue and reader. A mailing is stored as "sending" before the mail
server is contacted. If a mailing is in this state while no process is sending mail, sending was interrupted, for
example by a power failure. The state then changes to "unsure". Unsure mailings are never sent automatically: the
director decides whether to send them again.

The readers of a report issue are fixed when it is first sent. If it is reopened and published again, readers who have
received it don't get it again. Readers whose mailing is pending get the current version. `send_again` queues the report
issue again for a reader whose mailing was unsure or refused.
"""

from collections import Counter
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, date, datetime
from typing import Any

from sqlalchemy import Connection, Row, Select, func, insert, select, update

from presort.data.catalogue import issue_id, log_change, report_id
from presort.data.errors import RefusedError
from presort.data.mail.readers import find_reader, is_reading
from presort.data.records import Mailing, MailingState
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import IssueRow, MailingRow, ReaderRow, ReportIssueRow, ReportRow
from presort.data.text.cleaning import clean

LOCK = "sending"
LONGEST_REASON = 500  # maximum number of characters
BUSY = "Another process is sending mail from this workspace. Wait until it has finished."
CUT_OFF = "Sending was interrupted."


@contextmanager
def sending(store: Store) -> Iterator[None]:
    """Hold the mail lock, so that only one process or thread sends mail. Mark interrupted mailings as unsure.

    Raises
    ------
    RefusedError
        If another process or thread is sending.
    """
    with store.lock(LOCK, BUSY):
        _mark_interrupted(store)
        yield


def unsure_mailings(store: Store) -> list[Mailing]:
    """Mark interrupted mailings as unsure, and return all mailings in this state, oldest first."""
    try:
        with store.lock(LOCK, BUSY):
            _mark_interrupted(store)
    except RefusedError:  # another process is sending and has already marked earlier interrupted mailings
        pass
    return mailings(store, state="unsure")


def prepare(store: Store, report: str, issue: date) -> datetime:
    """Queue a report issue for its current readers, unless it was queued before. Return its publication time.

    Raises
    ------
    RefusedError
        If the report issue is not published.
    """
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        published_at = _read_publication_time(connection, of_report, of_issue)
        if published_at is None:
            raise RefusedError(f"{report} {issue} is not published, so it can't be sent.")
        if not _is_queued(connection, of_report, of_issue):
            _add(connection, of_report, of_issue, connection.execute(_current_readers(of_report)).scalars().all())
    return published_at


def pending_addresses(store: Store, report: str, issue: date) -> list[str]:
    """Return the addresses of current readers with a pending mailing of a report issue.

    If the report issue is not queued yet, the function returns the addresses of all current readers.
    """
    with store.reading(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        if _is_queued(connection, of_report, of_issue):
            rows = connection.execute(_pending_mailings(of_report, of_issue, after=0))
            return [row.address for row in rows]
        addresses = select(ReaderRow.address).where(is_reading(of_report, ReaderRow.id)).order_by(ReaderRow.id)
        return [address for address in connection.execute(addresses).scalars() if address is not None]


def claim(store: Store, report: str, issue: date, published_at: datetime, *, after: int = 0) -> Mailing | None:
    """Mark a report issue's next pending mailing as "sending" and return it. Returns None if no mailing is left.

    Parameters
    ----------
    published_at : datetime
        Publication time of the report issue to send.
    after : int
        Number of the last claimed mailing. Mailings up to this number are skipped.

    Raises
    ------
    RefusedError
        If the report issue was reopened after `published_at`.
    """
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        if _read_publication_time(connection, of_report, of_issue) != published_at:
            raise RefusedError(
                f"{report} {issue} was reopened in the meantime. The other readers will get the new version."
            )
        row = connection.execute(_pending_mailings(of_report, of_issue, after=after).limit(1)).first()
        if row is None:
            return None
        now = datetime.now(UTC)
        values = {"state": "sending", "changed_at": now, "reason": ""}
        connection.execute(update(MailingRow).where(MailingRow.id == row.id).values(**values))
        return Mailing(row.id, report, issue, row.reader_id, row.address, row.name, "sending", now)


def log_sending(store: Store, report: str, issue: date, n_sent: int) -> None:
    """Log how many readers a report issue was mailed to."""
    with store.writing(Right.EDIT, report) as connection:
        description = f"Mailed {issue} to {n_sent} readers"
        log_change(connection, description, person=store.author(connection), report=report)


def settle(store: Store, mailing: Mailing, state: MailingState, reason: str = "") -> None:
    """Record the result of sending a claimed mailing."""
    values = {"state": state, "changed_at": datetime.now(UTC), "reason": clean(reason)[:LONGEST_REASON]}
    with store.writing() as connection:
        # If the reader was erased in the meantime, the reason is not stored, because it may quote the address. An
        # unsure mailing is given up, because the director can't decide on it without the address.
        if connection.execute(_erased_readers().where(ReaderRow.id == mailing.reader)).first():
            values |= {"state": state if state in ("sent", "refused") else "given up", "reason": ""}
        claimed = update(MailingRow).where(MailingRow.id == mailing.id, MailingRow.state == "sending")
        if connection.execute(claimed.values(**values)).rowcount != 1:
            raise RuntimeError(f"mailing {mailing.id} does not have the state 'sending'")


def send_again(store: Store, report: str, issue: date, address: str) -> None:
    """Queue a report issue for one reader.

    Used if the mailing to this reader is unsure or was refused or given up, or if the reader joined later.

    Raises
    ------
    RefusedError
        If the reader has already received the report issue, or the address does not belong to a reader of the report.
    """
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        reader = find_reader(connection, address)
        if reader is None or not connection.execute(select(is_reading(of_report, reader))).scalar():
            raise RefusedError(f"{address} is not a reader of {report}. Add readers with 'presort readers add'.")
        known = _find_mailing(connection, of_report, of_issue, reader)
        description = f"Allowed {issue} to be mailed to a reader again"
        log_change(connection, description, person=store.author(connection), report=report)
        if known is None and not _is_queued(connection, of_report, of_issue):
            return  # not queued yet, so it will be sent to all readers
        if known is None:
            _add(connection, of_report, of_issue, [reader])
        elif known.state in ("sent", "sending"):
            raise RefusedError(f"{address} has already received {report} {issue}. Nothing is sent twice.")
        else:
            _set_state(connection, known, "pending")


def give_up(store: Store, report: str, issue: date, address: str) -> None:
    """Cancel a pending or unsure mailing to a reader.

    Raises
    ------
    RefusedError
        If there is no mailing, or its state is neither "pending" nor "unsure".
    """
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        reader = find_reader(connection, address)
        known = None if reader is None else _find_mailing(connection, of_report, of_issue, reader)
        if known is None or known.state not in ("unsure", "pending"):
            raise RefusedError(f"{report} {issue} is not pending for {address}. There is nothing to cancel.")
        _set_state(connection, known, "given up")
        description = f"Cancelled the mailing of {issue} to a reader"
        log_change(connection, description, person=store.author(connection), report=report)


def mailings(
    store: Store, report: str | None = None, issue: date | None = None, *, state: MailingState | None = None
) -> list[Mailing]:
    """Return mailings in the order in which they were queued, optionally filtered by report, issue and state."""
    asked = ((ReportRow.code, report), (IssueRow.date, issue), (MailingRow.state, state))
    with store.reading(*(Right.MANAGE,) if report is None else (Right.EDIT, report)) as connection:
        rows: Iterable[Row[*tuple[Any, ...]]] = connection.execute(
            select(
                *(MailingRow.id, ReportRow.code, IssueRow.date, MailingRow.reader_id),
                *(func.coalesce(ReaderRow.address, ""), ReaderRow.name),
                *(MailingRow.state, MailingRow.changed_at, MailingRow.reason),
            )
            .join(ReportRow, ReportRow.id == MailingRow.report_id)
            .join(IssueRow, IssueRow.id == MailingRow.issue_id)
            .join(ReaderRow, ReaderRow.id == MailingRow.reader_id)
            .where(*(column == value for column, value in asked if value is not None))
            .order_by(MailingRow.id)
        )
        return [Mailing(*row) for row in rows]


def count_by_state(store: Store) -> Counter[str]:
    """Return the number of mailings in each state, for all reports together."""
    query = select(MailingRow.state, func.count().label("n")).group_by(MailingRow.state)
    with store.reading(Right.MANAGE) as connection:
        return Counter({row.state: row.n for row in connection.execute(query)})


def _mark_interrupted(store: Store) -> None:
    cut_off = MailingRow.state == "sending"
    with store.reading() as connection:
        if connection.execute(select(MailingRow.id).where(cut_off).limit(1)).first() is None:
            return
    with store.writing() as connection:
        # Mailings to erased readers are given up, because the director can't decide on them without the address.
        of_erased = MailingRow.reader_id.in_(_erased_readers())
        connection.execute(update(MailingRow).where(cut_off, of_erased).values(state="given up"))
        connection.execute(update(MailingRow).where(cut_off).values(state="unsure", reason=CUT_OFF))


def _read_publication_time(connection: Connection, report: int, issue: int) -> datetime | None:
    of_both = (ReportIssueRow.report_id == report, ReportIssueRow.issue_id == issue)
    return connection.execute(select(ReportIssueRow.published_at).where(*of_both)).scalar()


def _is_queued(connection: Connection, report: int, issue: int) -> bool:
    of_both = (MailingRow.report_id == report, MailingRow.issue_id == issue)
    return connection.execute(select(MailingRow.id).where(*of_both).limit(1)).first() is not None


def _erased_readers() -> Select[int]:
    return select(ReaderRow.id).where(ReaderRow.address.is_(None))


def _current_readers(report: int) -> Select[int]:
    return select(ReaderRow.id).where(is_reading(report, ReaderRow.id)).order_by(ReaderRow.id)


def _pending_mailings(report: int, issue: int, *, after: int) -> Select[int, int, str | None, str]:
    """Return a query for a report issue's pending mailings to current readers of the report."""
    return (
        select(MailingRow.id, MailingRow.reader_id, ReaderRow.address, ReaderRow.name)
        .join(ReaderRow, ReaderRow.id == MailingRow.reader_id)
        .where(MailingRow.report_id == report, MailingRow.issue_id == issue, MailingRow.id > after)
        .where(MailingRow.state == "pending", is_reading(report, ReaderRow.id))
        .order_by(MailingRow.id)
    )


def _find_mailing(connection: Connection, report: int, issue: int, reader: int) -> Row[int, str] | None:
    of_all = (MailingRow.report_id == report, MailingRow.issue_id == issue, MailingRow.reader_id == reader)
    return connection.execute(select(MailingRow.id, MailingRow.state).where(*of_all)).first()


def _add(connection: Connection, report: int, issue: int, readers: Iterable[int]) -> None:
    values = {"report_id": report, "issue_id": issue, "state": "pending", "changed_at": datetime.now(UTC)}
    rows = [{"reader_id": reader, **values} for reader in readers]
    if rows:
        connection.execute(insert(MailingRow), rows)


def _set_state(connection: Connection, known: Row[int, str], state: MailingState) -> None:
    values = {"state": state, "changed_at": datetime.now(UTC)}
    connection.execute(update(MailingRow).where(MailingRow.id == known.id).values(**values))
