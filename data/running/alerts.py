"""Alert log: first occurrences of alerts, and directors' acknowledgements and notes."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import astuple, replace
from datetime import UTC, date, datetime

from sqlalchemy import Connection, func, insert, select

from presort.data.catalogue import person_id, report_id
from presort.data.errors import RefusedError
from presort.data.records import AlertEntry, AlertKind
from presort.data.store import Store
from presort.data.tables import AlertRow, PersonRow, ReportRow
from presort.data.text.cleaning import clean

MAX_NOTE = 500  # maximum number of characters


def alert_log(store: Store) -> list[AlertEntry]:
    """Return the latest log entry for each alert, newest first. Report, kind and first issue identify an alert."""
    log = AlertRow
    newest = select(func.max(log.id)).group_by(log.report_id, log.kind, log.since)
    query = (
        select(ReportRow.code, log.kind, log.since, log.up_to, log.figure, log.is_acknowledged, log.note)
        .add_columns(PersonRow.name, log.made_at)
        .join(ReportRow, ReportRow.id == log.report_id)
        .join(PersonRow, PersonRow.id == log.person_id)
        .where(log.id.in_(newest))
        .order_by(log.id.desc())
    )
    with store.reading() as connection:
        return [AlertEntry(*row) for row in connection.execute(query)]


def log_alert(store: Store, entry: AlertEntry) -> None:
    """Log a director's acknowledgement or note, with the current time.

    Raises
    ------
    RefusedError
        If the report does not exist or the note is too long.
    """
    note = clean(entry.note)
    if len(note) > MAX_NOTE:
        raise RefusedError(f"The note has {len(note):,} characters; the limit is {MAX_NOTE}. Shorten it.")
    with store.writing() as connection:
        _add(connection, replace(entry, note=note))


def log_new_alerts(store: Store, entries: Iterable[AlertEntry]) -> None:
    """Log alerts that occur for the first time, with the current time.

    An alert is skipped if an earlier log entry is about the same alert, see `covers`.
    """
    with store.writing() as connection:
        log = AlertRow
        query = select(ReportRow.code, log.kind, log.since, log.up_to).join(ReportRow, ReportRow.id == log.report_id)
        logged = defaultdict(list)
        for code, kind, since, up_to in connection.execute(query.distinct()):
            logged[code, kind].append((since, up_to))
        for entry in entries:
            if not covers(logged[entry.report, entry.kind], entry.kind, entry.since):
                _add(connection, entry)


def covers(logged: Iterable[tuple[date, date]], kind: AlertKind, since: date) -> bool:
    """Return True if the log already has an alert of this kind about the same report.

    Two alerts of the kind "silent" are the same if they have the same first issue. Two alerts of any other kind are the
    same if they have an issue in common.

    Parameters
    ----------
    logged : iterable of (date, date)
        First and last issue of each logged alert of this report and kind.
    kind : AlertKind
        Kind of the alert.
    since : date
        First issue of the alert.
    """
    return any(first == since if kind == "silent" else last >= since for first, last in logged)


def _add(connection: Connection, entry: AlertEntry) -> None:
    report, kind, since, up_to, figure, is_acknowledged, note, person, _ = astuple(entry)
    values = {
        "report_id": report_id(connection, report),
        "kind": kind,
        "since": since,
        "up_to": up_to,
        "figure": figure,
        "is_acknowledged": is_acknowledged,
        "note": note,
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
    }
    connection.execute(insert(AlertRow).values(**values))
