"""Alerts that directors acknowledged, with notes."""

from dataclasses import astuple
from datetime import UTC, datetime

from sqlalchemy import func, insert, select

from presort.data.catalogue import person_id, report_id
from presort.data.errors import RefusedError
from presort.data.records import AlertEntry
from presort.data.store import Store
from presort.data.tables import AlertRow, PersonRow, ReportRow
from presort.data.text.cleaning import clean

MAX_NOTE = 500  # characters


def alert_log(store: Store) -> list[AlertEntry]:
    """Return the newest entry of each alert, newest first. An alert is a report, a kind and a first issue."""
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
    """Record an acknowledgement or a note of a director. Sets the time of the entry.

    Raises
    ------
    RefusedError
        If the report is unknown or the note is too long.
    """
    note = clean(entry.note)
    if len(note) > MAX_NOTE:
        raise RefusedError(f"A note can have {MAX_NOTE} characters, this one has {len(note):,}; shorten it.")
    report, kind, since, up_to, figure, is_acknowledged, *_ = astuple(entry)
    with store.writing() as connection:
        values = {
            "report_id": report_id(connection, report),
            "kind": kind,
            "since": since,
            "up_to": up_to,
            "figure": figure,
            "is_acknowledged": is_acknowledged,
            "note": note,
            "person_id": person_id(connection, entry.person),
            "made_at": datetime.now(UTC),
        }
        connection.execute(insert(AlertRow).values(**values))
