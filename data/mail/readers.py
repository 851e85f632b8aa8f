"""Readers of reports: a log of joining and leaving. Addresses and names have their own table, to be erasable."""

from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from typing import Any

from sqlalchemy import Connection, ScalarSelect, Select, func, insert, select, update

from presort.data.catalogue import log_change, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.mail.addresses import checked_address
from presort.data.records import Reader
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import MailingRow, ReaderRow, ReadershipRow, ReportRow
from presort.data.text.cleaning import clean

MAX_NAME = 200  # characters


def add_readers(store: Store, report: str, new: Iterable[tuple[str, str]], *, person: str) -> int:
    """Add readers to a report, all or none, and return the number of new ones.

    Who reads it already stays; a name that is given is that reader's from now on.

    Parameters
    ----------
    new : iterable of (str, str)
        Address and name of each; the name may be empty.

    Raises
    ------
    RefusedError
        If the report is not there or retired, an address is none, or a name is too long.
    """
    checked: dict[str, tuple[str, str]] = {}  # by address in small letters, as often as it is given
    for text, text_of_name in new:
        address, name = checked_address(text), _name(text_of_name)
        earlier = checked.get(address.lower(), (address, ""))
        checked[address.lower()] = (earlier[0], name or earlier[1])
    with store.writing() as connection:
        of_report, who = report_id(connection, report), person_id(connection, person)
        if connection.execute(select(ReportRow.retired_at).where(ReportRow.id == of_report)).scalar():
            raise RefusedError(f"{report} is retired and sends nothing, so nobody can be added; bring it back first.")
        _add_people(connection, checked)
        reading = set(connection.execute(select(ReaderRow.id).where(is_reading(of_report, ReaderRow.id))).scalars())
        ids = {key: reader for key, (reader, _) in _known(connection).items()}
        joining = [ids[key] for key in checked if ids[key] not in reading]
        _log(connection, [(of_report, reader) for reader in joining], who, is_reading=True)
    return len(joining)


def remove_reader(store: Store, report: str, address: str, *, person: str) -> None:
    """Remove a reader from a report. Pending mailings to that reader are not sent.

    Raises
    ------
    RefusedError
        If the report is not there, or nobody of that address reads it.
    """
    with store.writing() as connection:
        of_report = report_id(connection, report)
        reader = find_reader(connection, address)
        if reader is None or not _reads(connection, of_report, reader):
            raise RefusedError(f"{address} does not read {report}; 'presort readers list {report}' shows who does.")
        _log(connection, [(of_report, reader)], person_id(connection, person), is_reading=False)


def readers(store: Store, report: str | None = None, *, left: bool = False) -> list[Reader]:
    """Return the readers of a report, or of all reports, by report and address; those who left only when asked for."""
    log, joining = ReadershipRow, ReadershipRow.__table__.alias()
    joined = (
        select(joining.c.made_at)
        .where(joining.c.report_id == log.report_id, joining.c.reader_id == log.reader_id, joining.c.is_reading)
        .order_by(joining.c.id.desc())  # not the latest time: a clock may have been ahead at an earlier joining
        .limit(1)
        .scalar_subquery()
    )
    rows = (
        select(ReportRow.code, ReaderRow.address, ReaderRow.name, joined.label("joined"), log.is_reading, log.made_at)
        .join(ReportRow, ReportRow.id == log.report_id)
        .join(ReaderRow, ReaderRow.id == log.reader_id)
        .where(log.id.in_(newest()), ReaderRow.address.is_not(None))
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
    """Delete the address and the name of a reader everywhere. The logs stay, without the name.

    Raises
    ------
    RefusedError
        If there is no such reader.
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
    """Find a reader's row; letters may be large or small."""
    asked = checked_address(address).lower()
    return connection.execute(select(ReaderRow.id).where(func.lower(ReaderRow.address) == asked)).scalar()


def newest() -> Select[int]:
    """Select the entries of the log that count."""
    return select(func.max(ReadershipRow.id)).group_by(ReadershipRow.report_id, ReadershipRow.reader_id)


def is_reading(report: Any, reader: Any) -> ScalarSelect[bool]:
    """Return whether a reader reads a report now; both may be numbers or columns."""
    log = ReadershipRow
    of_both = select(log.is_reading).where(log.report_id == report, log.reader_id == reader)
    return of_both.order_by(log.id.desc()).limit(1).scalar_subquery()


def _reads(connection: Connection, report: int, reader: int) -> bool:
    return bool(connection.execute(select(is_reading(report, reader))).scalar())


def _known(connection: Connection) -> dict[str, tuple[int, str]]:
    """Return number and name of all readers that have an address, by it in small letters."""
    columns = select(ReaderRow.address, ReaderRow.id, ReaderRow.name).where(ReaderRow.address.is_not(None))
    return {str(address).lower(): (reader, name) for address, reader, name in connection.execute(columns)}


def _add_people(connection: Connection, people: Mapping[str, tuple[str, str]]) -> None:
    """Add new readers, and update the names of known ones."""
    known = _known(connection)
    new = [{"address": address, "name": name} for key, (address, name) in people.items() if key not in known]
    if new:
        connection.execute(insert(ReaderRow), new)
    for key, (_, name) in people.items():
        if key in known and name not in ("", known[key][1]):
            connection.execute(update(ReaderRow).where(ReaderRow.id == known[key][0]).values(name=name))


def _log(connection: Connection, pairs: Iterable[tuple[int, int]], person: int, *, is_reading: bool) -> None:
    """Log who joined or left, each by report and reader."""
    values = {"person_id": person, "made_at": datetime.now(UTC), "is_reading": is_reading}
    rows = [{"report_id": report, "reader_id": reader, **values} for report, reader in pairs]
    if rows:
        connection.execute(insert(ReadershipRow), rows)


def _name(text: str) -> str:
    name = clean(text)
    if len(name) > MAX_NAME:
        raise RefusedError(f"A name can have {MAX_NAME} characters, this one has {len(name):,}; shorten it.")
    return name
