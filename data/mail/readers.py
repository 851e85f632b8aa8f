"""Log of readers' subscriptions to reports. Names and addresses are in a separate table so that they can be erased."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, ScalarSelect, Select, func, insert, select, update

from presort.data.catalogue import log_change, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.mail.addresses import validate_address
from presort.data.records import Reader
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import MailingRow, ReaderRow, ReadershipRow, ReportRow
from presort.data.text.cleaning import clean

MAX_NAME = 200  # maximum number of characters


def add_readers(store: Store, report: str, new: Iterable[tuple[str, str]], *, person: str) -> int:
    """Add readers to a report and return the number of new readers. If an error occurs, no readers are added.

    Current readers stay subscribed. A non-empty name replaces a reader's stored name.

    Parameters
    ----------
    new : iterable of (str, str)
        Address and name of each reader. The name may be empty.

    Raises
    ------
    RefusedError
        If the report does not exist or is retired, an address is invalid, or a name is too long.
    """
    checked: dict[str, tuple[str, str]] = {}  # by lower-case address, to merge repeated addresses
    for text, text_of_name in new:
        address, name = validate_address(text), _validate_name(text_of_name)
        earlier = checked.get(address.lower(), (address, ""))
        checked[address.lower()] = (earlier[0], name or earlier[1])
    with store.writing() as connection:
        of_report, who = report_id(connection, report), person_id(connection, person)
        if connection.execute(select(ReportRow.retired_at).where(ReportRow.id == of_report)).scalar():
            raise RefusedError(f"{report} is retired, so readers can't be added. Restore the report first.")
        _add_people(connection, checked)
        reading = set(connection.execute(select(ReaderRow.id).where(is_reading(of_report, ReaderRow.id))).scalars())
        ids = {key: reader for key, (reader, _) in _known_readers(connection).items()}
        joining = [ids[key] for key in checked if ids[key] not in reading]
        _log(connection, [(of_report, reader) for reader in joining], who, is_reading=True)
    return len(joining)


def remove_reader(store: Store, report: str, address: str, *, person: str) -> None:
    """Remove a reader from a report. Pending mailings to that reader are not sent.

    Raises
    ------
    RefusedError
        If the report does not exist, or the address does not belong to one of its readers.
    """
    with store.writing() as connection:
        of_report = report_id(connection, report)
        reader = find_reader(connection, address)
        if reader is None or not _reads(connection, of_report, reader):
            raise RefusedError(f"{address} is not a reader of {report}. 'presort readers list {report}' lists them.")
        _log(connection, [(of_report, reader)], person_id(connection, person), is_reading=False)


def end_subscription(connection: Connection, report: int, reader: int, *, person: str) -> None:
    """Log the end of a subscription in an open write transaction. `report` and `reader` are database ids."""
    _log(connection, [(report, reader)], person_id(connection, person), is_reading=False)


def readers(store: Store, report: str | None = None, *, left: bool = False) -> list[Reader]:
    """Return the readers of one report or, by default, of all reports, sorted by report and address.

    If `left` is True, former readers are included.
    """
    log, joining = ReadershipRow, ReadershipRow.__table__.alias()
    joined = (
        select(joining.c.made_at)
        .where(joining.c.report_id == log.report_id, joining.c.reader_id == log.reader_id, joining.c.is_reading)
        .order_by(joining.c.id.desc())  # sort by id, because times may be in the wrong order if the clock was set back
        .limit(1)
        .scalar_subquery()
    )
    rows = (
        select(ReportRow.code, ReaderRow.address, ReaderRow.name, joined.label("joined"), log.is_reading, log.made_at)
        .join(ReportRow, ReportRow.id == log.report_id)
        .join(ReaderRow, ReaderRow.id == log.reader_id)
        .where(log.id.in_(newest_subscriptions()), ReaderRow.address.is_not(None))
        .order_by(ReportRow.code, ReaderRow.address)
    )
    with store.reading(*(Right.MANAGE,) if report is None else (Right.EDIT, report)) as connection:
        if report is not None:
            rows = rows.where(log.report_id == report_id(connection, report))
        return [
            Reader(code, address, name, joined, None if is_reading else made_at)
            for code, address, name, joined, is_reading, made_at in connection.execute(rows)
            if left or is_reading
        ]


def erase_reader(store: Store, address: str, *, person: str) -> None:
    """Erase a reader's address and name. Log entries about the reader remain but no longer identify them.

    Raises
    ------
    RefusedError
        If there is no reader with this address.
    """
    with store.writing() as connection:
        reader = find_reader(connection, address)
        if reader is None:
            raise RefusedError(f"There is no reader {address}. Nothing is stored about that address.")
        who = person_id(connection, person)
        reports = connection.execute(select(ReportRow.id).where(is_reading(ReportRow.id, reader))).scalars()
        _log(connection, [(report, reader) for report in reports], who, is_reading=False)
        connection.execute(update(ReaderRow).where(ReaderRow.id == reader).values(address=None, name=""))
        of_reader = update(MailingRow).where(MailingRow.reader_id == reader)
        connection.execute(of_reader.values(reason=""))  # a mail server's reply may quote the address
        open_ended = MailingRow.state.in_(("pending", "unsure"))
        connection.execute(of_reader.where(open_ended).values(state="given up", changed_at=datetime.now(UTC)))
        log_change(connection, "Erased a reader", person=person)


def find_reader(connection: Connection, address: str) -> int | None:
    """Return the id of the reader with this address, ignoring case. Returns None if there is no such reader."""
    asked = validate_address(address).lower()
    return connection.execute(select(ReaderRow.id).where(func.lower(ReaderRow.address) == asked)).scalar()


def newest_subscriptions() -> Select[int]:
    """Return a query for the id of the latest log entry for each report and reader."""
    return select(func.max(ReadershipRow.id)).group_by(ReadershipRow.report_id, ReadershipRow.reader_id)


def is_reading(report: Any, reader: Any) -> ScalarSelect[bool]:
    """Return an SQL expression that is true if a reader currently receives a report. Accepts ids or columns."""
    log = ReadershipRow
    of_both = select(log.is_reading).where(log.report_id == report, log.reader_id == reader)
    return of_both.order_by(log.id.desc()).limit(1).scalar_subquery()


def _reads(connection: Connection, report: int, reader: int) -> bool:
    return bool(connection.execute(select(is_reading(report, reader))).scalar())


def _known_readers(connection: Connection) -> dict[str, tuple[int, str]]:
    """Return the ids and names of all readers who were not erased, by lower-case address."""
    columns = select(ReaderRow.address, ReaderRow.id, ReaderRow.name).where(ReaderRow.address.is_not(None))
    return {str(address).lower(): (reader, name) for address, reader, name in connection.execute(columns)}


def _add_people(connection: Connection, people: Mapping[str, tuple[str, str]]) -> None:
    """Add new readers, and update the names of existing readers."""
    known = _known_readers(connection)
    new = [{"address": address, "name": name} for key, (address, name) in people.items() if key not in known]
    if new:
        connection.execute(insert(ReaderRow), new)
    for key, (_, name) in people.items():
        if key in known and name not in ("", known[key][1]):
            connection.execute(update(ReaderRow).where(ReaderRow.id == known[key][0]).values(name=name))


def _log(connection: Connection, pairs: Iterable[tuple[int, int]], person: int, *, is_reading: bool) -> None:
    """Log the start or end of subscriptions, which are given as pairs of report id and reader id."""
    values = {"person_id": person, "made_at": datetime.now(UTC), "is_reading": is_reading}
    rows = [{"report_id": report, "reader_id": reader, **values} for report, reader in pairs]
    if rows:
        connection.execute(insert(ReadershipRow), rows)


def _validate_name(text: str) -> str:
    name = clean(text)
    if len(name) > MAX_NAME:
        raise RefusedError(f"The name has {len(name):,} characters; the limit is {MAX_NAME}. Shorten it.")
    return name
