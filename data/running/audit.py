"""Audit log: the changes from all logs, with author, time and origin.

This module only reads the logs. Each kind of change has its own log table, listed in `audit_logs.LOGS`.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from heapq import merge
from itertools import accumulate, islice
from typing import Any

from sqlalchemy import Connection, Row, Select, literal, null, select
from sqlalchemy.orm import aliased

from presort.data.catalogue import report_id
from presort.data.records import AuditEntry, Place
from presort.data.running.audit_logs import LOGS, Log, concatenate
from presort.data.store import Store
from presort.data.tables import IssueRow, PaperRow, PersonRow, ReportRow

PLACES: Mapping[str, Place] = {
    "import": "file",
    "harvest": "command",
    "manage": "command",
    "hints": "command",
    "demo": "rule",
    "presort": "rule",
}


def audit(
    store: Store,
    limit: int,
    *,
    kinds: Sequence[str] = (),
    person: str = "",
    report: str = "",
    since: date = date.min,
    words: str = "",
) -> list[AuditEntry]:
    """Return the most recent changes, newest first. The optional parameters filter the changes.

    Parameters
    ----------
    limit : int
        Maximum number of changes.
    kinds : sequence of str
        Keys of `LOGS`. Defaults to all logs.
    person : str
        Author's name.
    report : str
        Report code.
    since : date
        Day of the earliest changes to return, in UTC.
    words : str
        Text to search for in the action, the new value, the subject and the paper title, ignoring case. If it is a
        report code, changes to that report are found too.

    Raises
    ------
    RefusedError
        If the report does not exist.
    """
    with store.reading() as connection:
        wanted = _Filter.of(connection, person, report, since, words)
        logs = [
            _newest_first(kind, connection.execute(wanted.query(LOGS[kind], limit)).all()) for kind in kinds or LOGS
        ]
    return [entry for _, entry in islice(merge(*logs, key=lambda one: one[0], reverse=True), limit)]


def _newest_first(kind: str, rows: Iterable[Row[*tuple[Any, ...]]]) -> list[tuple[datetime, AuditEntry]]:
    """Return a log's entries, newest first, each with the time to use for sorting entries from all logs.

    The time for sorting is the earliest time of the entry itself and of all later entries in the same log. Each log
    therefore keeps its order even if the clock was wrong, and an entry dated a year ahead does not remain at the top
    for a year.
    """
    entries = [_entry(kind, row) for row in rows]
    return list(zip(accumulate((one.made_at for one in entries), min), entries, strict=True))


def people_in_log(store: Store) -> list[str]:
    """Return the names of all people, sorted by name."""
    with store.reading() as connection:
        return list(connection.execute(select(PersonRow.name).order_by(PersonRow.name)).scalars())


@dataclass(frozen=True)
class _Filter:
    """Filter applied to the entries of each log. `person` and `report` are ids, or None for no restriction."""

    person: int | None
    report: int | None
    since: datetime
    words: str

    @classmethod
    def of(cls, connection: Connection, person: str, report: str, since: date, words: str) -> "_Filter":
        known = connection.execute(select(PersonRow.id).where(PersonRow.name == person)).scalar()
        who = (known or -1) if person else None
        day = datetime.combine(since, time(), UTC)
        return cls(who, report_id(connection, report) if report else None, day, words.strip())

    def query(self, log: Log, limit: int) -> Select[*tuple[Any, ...]]:
        """Return a query for a log's newest entries."""
        row, who, about = log.row, aliased(PersonRow), aliased(PersonRow)
        made_at = getattr(row, log.made_at)
        has_report, has_issue = hasattr(row, "report_id"), hasattr(row, "issue_id")
        query = select(
            made_at.label("made_at"),
            who.name.label("person"),
            (null() if log.place is None else log.place).label("place"),
            (ReportRow.code if has_report else null()).label("report"),
            (IssueRow.date if has_issue else null()).label("issue"),
            log.action.label("action"),
            log.old_value().label("before"),
            log.value(row).label("after"),
            (null() if log.subject is None else log.subject).label("subject"),
            (null() if log.paper is None else PaperRow.title).label("title"),
            (null() if log.about is None else about.name).label("about"),
        ).join(who, who.id == getattr(row, log.who))
        if has_report:
            query = query.outerjoin(ReportRow, ReportRow.id == row.report_id)
        if has_issue:
            query = query.outerjoin(IssueRow, IssueRow.id == row.issue_id)
        if log.paper is not None:
            query = query.outerjoin(PaperRow, PaperRow.id == log.paper)
        if log.about is not None:
            query = query.outerjoin(about, about.id == log.about)
        conditions = [made_at >= self.since]
        if log.wanted is not None:
            conditions.append(log.wanted)
        if self.person is not None:
            conditions.append(getattr(row, log.who) == self.person)
        if self.report is not None:
            conditions.append(row.report_id == self.report if has_report else literal(value=False))
        if self.words:
            title = [] if log.paper is None else [" ", PaperRow.title]
            subject = [] if log.subject is None else [" ", log.subject]
            text = concatenate(log.action, *subject, " ", log.value(row), *title)
            pattern = _case_insensitive_pattern(self.words)
            is_report = ReportRow.code.regexp_match(f"^{pattern}$") if has_report else literal(value=False)
            conditions.append(text.regexp_match(pattern) | is_report)
        order = [row.id.desc()] if log.is_by_number else [made_at.desc()]
        return query.where(*conditions).order_by(*order).limit(limit)


def _case_insensitive_pattern(words: str) -> str:
    r"""Return a regular expression that matches the given words regardless of case.

    The databases themselves ignore case only for ASCII letters.

    Examples
    --------
    >>> _case_insensitive_pattern("É. 5%")
    '[éÉ]\\.\\ 5%'
    """
    forms = ((one, one.lower() + one.upper()) for one in words)
    return "".join(f"[{both}]" if one.isalpha() and len(both) == 2 else re.escape(one) for one, both in forms)


def _entry(kind: str, row: Row[*tuple[Any, ...]]) -> AuditEntry:
    place = row.place or PLACES.get(row.person, "desk")
    subject = row.about or row.subject or row.title or ""
    return AuditEntry(
        row.made_at, row.person, place, kind, row.action, row.report or "", row.issue, subject, row.before, row.after
    )
