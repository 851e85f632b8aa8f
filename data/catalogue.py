"""Catalogue of a workspace: issues, their papers, reports, settings."""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, timedelta
from uuid import uuid4

from sqlalchemy import Connection, delete, func, insert, select, update

from presort.data.errors import RefusedError
from presort.data.records import Issue, Paper, Report
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import (
    PAPER_COLUMNS,
    ChangeRow,
    IssueRow,
    ListingRow,
    PaperRow,
    PersonRow,
    ReportRow,
    RevisionRow,
    SettingRow,
    paper_of,
)

WORKSPACE_ID = "workspace-id"  # a setting
ARCHIVE = timedelta(days=365)  # age of issues that are the past of a report added to an empty workspace


def revision(store: Store) -> int:
    """Return the number that grows with every change of the workspace, by whichever process."""
    with store.reading(Right.SEE) as connection:
        return connection.execute(select(RevisionRow.number)).scalar_one()


def next_revision(connection: Connection) -> int:
    """Return the revision number of the workspace after the change on this connection is committed.

    The connection holds the write lock, so no other change ever gets the same number. A cache is keyed by it, and
    never by a time: a clock can be set back.
    """
    return connection.execute(select(RevisionRow.number + 1)).scalar_one()


def setting(store: Store, name: str) -> str | None:
    """Return the value of a setting. None if it was never set."""
    with store.reading(Right.SEE) as connection:
        return setting_now(connection, name)


def setting_now(connection: Connection, name: str) -> str | None:
    """Return the result of `setting`, on an open connection."""
    return connection.execute(select(SettingRow.value).where(SettingRow.name == name)).scalar()


def set_setting(store: Store, name: str, value: str, *, description: str = "", report: str = "") -> None:
    """Store a value under a name. A log entry, if given, may refer to a report."""
    with store.writing() as connection:
        if description:
            log_change(connection, description, person=store.author(connection), report=report)
        set_setting_now(connection, name, value)


def set_setting_now(connection: Connection, name: str, value: str) -> None:
    """Store a setting, on a connection that may write."""
    connection.execute(delete(SettingRow).where(SettingRow.name == name))
    connection.execute(insert(SettingRow).values(name=name, value=value))


def workspace_id(store: Store) -> str:
    """Return the unique id of a workspace, generated on the first call. It stays the same if the workspace moves."""
    known = setting(store, WORKSPACE_ID)
    if known is None:
        with store.writing(Right.SEE) as connection:  # alone: the first who asks makes it
            known = setting_now(connection, WORKSPACE_ID) or str(uuid4())
            set_setting_now(connection, WORKSPACE_ID, known)
    return known


def issues(store: Store) -> list[Issue]:
    """Return all issues, oldest first."""
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(
            select(IssueRow.date, func.count(ListingRow.position))
            .join(ListingRow, ListingRow.issue_id == IssueRow.id)
            .group_by(IssueRow.date)
            .order_by(IssueRow.date)
        )
        return [Issue(day, n) for day, n in rows]


def papers(store: Store, issue: date) -> list[Paper]:
    """Return the papers of an issue in list order; none if there is no such issue."""
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(
            select(*PAPER_COLUMNS)
            .join(ListingRow, ListingRow.paper_id == PaperRow.id)
            .join(IssueRow, IssueRow.id == ListingRow.issue_id)
            .where(IssueRow.date == issue)
            .order_by(ListingRow.position)
        )
        return [paper_of(row) for row in rows]


def paper(store: Store, paper_id: str) -> Paper:
    """Return the paper of that id.

    Raises
    ------
    RefusedError
        If there is none.
    """
    with store.reading(Right.SEE) as connection:
        found = connection.execute(select(*PAPER_COLUMNS).where(PaperRow.paper_id == paper_id)).first()
    if found is None:
        raise RefusedError(f"There is no paper {paper_id!r}; the id is the one it was imported with.")
    return paper_of(found)


def reports(store: Store, *, retired: bool = False) -> list[Report]:
    """Return the reports by code, of those that may be seen; retired ones only when asked for."""
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(select(ReportRow.code, ReportRow.name, ReportRow.retired_at).order_by(ReportRow.code))
        found = [Report(code, name, is_retired=retired_at is not None) for code, name, retired_at in rows]
        is_seen = store.granted(connection, Right.SEE, [report.code for report in found])
    return [report for report, seen in zip(found, is_seen, strict=True) if seen and (retired or not report.is_retired)]


def add_reports(
    store: Store, new: Sequence[Report], *, returning: Collection[str] | None = None, first_issue: date | None = None
) -> None:
    """Add reports, or bring retired ones back with their past.

    Parameters
    ----------
    returning : collection of str, optional
        Codes of the retired reports that the caller expects to bring back. Defaults to all of them.
    first_issue : date, optional
        Issues from this day on are pending; older ones are not. Defaults to the newest issue, or for a report with a
        past to the issues after it.

    Raises
    ------
    RefusedError
        If a code is in use, or a retired report would come back unexpectedly.
    """
    with store.writing() as connection:
        known = dict(connection.execute(select(ReportRow.code, ReportRow.retired_at)).all())
        for report in new:
            if report.code not in known:
                add_report_row(connection, report, first_issue)
            elif known[report.code] is None:
                raise RefusedError(f"There is a report {report.code!r} already; choose another code.")
            elif returning is not None and report.code not in returning:
                raise RefusedError(
                    f"The report {report.code!r} was retired meanwhile and has a past; look at it first."
                )
            else:
                back = update(ReportRow).where(ReportRow.code == report.code)
                connection.execute(back.values(retired_at=None, **_row_values(connection, report, first_issue)))
            known[report.code] = None
            log_change(connection, "Added the report", person=store.author(connection), report=report.code)


def add_report_row(connection: Connection, report: Report, first_issue: date | None = None) -> None:
    """Insert the row of a report that is new."""
    connection.execute(insert(ReportRow).values(code=report.code, **_row_values(connection, report, first_issue)))


def _row_values(connection: Connection, report: Report, first_issue: date | None) -> dict[str, object]:
    since = late_after(connection)
    if first_issue is not None:
        since = max(since, first_issue - timedelta(days=1))  # an issue that is not the report's is never late
    return {"name": report.name, "late_after": since, "first_issue": first_issue}


def late_after(connection: Connection) -> date:
    """Return the date of the newest issue. A report that begins now can be late only for issues after it.

    The stored issues decide, not the clock. If there are none, issues older than a year count as the past, because an
    archive may be imported after the first report is added.
    """
    newest = connection.execute(select(func.max(IssueRow.date))).scalar()
    return newest or date.today() - ARCHIVE


def rename_report(store: Store, code: str, name: str) -> None:
    """Rename a report; its code stays."""
    with store.writing() as connection:
        of_report = ReportRow.id == report_id(connection, code)
        before = connection.execute(select(ReportRow.name).where(of_report)).scalar_one()
        who = store.author(connection)
        log_change(connection, "Renamed the report", person=who, report=code, before=before, after=name)
        connection.execute(update(ReportRow).where(of_report).values(name=name))


def retire_report(store: Store, code: str) -> None:
    """Stop ranking for a report. Its decisions stay."""
    with store.writing() as connection:
        found = report_id(connection, code)
        connection.execute(update(ReportRow).where(ReportRow.id == found).values(retired_at=datetime.now(UTC)))
        log_change(connection, "Retired the report", person=store.author(connection), report=code)


def log_change(
    connection: Connection,
    description: str,
    *,
    person: str,
    report: str = "",
    about: str = "",
    before: str = "",
    after: str = "",
) -> None:
    """Log a change that is made in the same transaction.

    Parameters
    ----------
    description : str
        What, in words that name nobody: a person can be erased, a log can't.
    person, about : str
        Author of the change, and the person concerned.
    report : str
        Code of the report, where it is one's.
    before, after : str
        Old and new value. Leave them empty if they are personal data, which must be erasable.
    """
    values = {
        "person_id": person_id(connection, person),
        "made_at": datetime.now(UTC),
        "report_id": report_id(connection, report) if report else None,
        "about_id": person_id(connection, about) if about else None,
        "description": description,
        "before": before,
        "after": after,
    }
    connection.execute(insert(ChangeRow).values(**values))


def report_id(connection: Connection, code: str) -> int:
    """Find a report's row."""
    found = connection.execute(select(ReportRow.id).where(ReportRow.code == code)).scalar()
    if found is None:
        known = ", ".join(connection.execute(select(ReportRow.code).order_by(ReportRow.code)).scalars()) or "none yet"
        raise RefusedError(f"There is no report {code!r}; the reports are: {known}.")
    return found


def issue_id(connection: Connection, day: date) -> int:
    """Find an issue's row."""
    found = connection.execute(select(IssueRow.id).where(IssueRow.date == day)).scalar()
    if found is None:
        newest = connection.execute(select(func.max(IssueRow.date))).scalar() or "not there: import one first"
        raise RefusedError(f"There is no issue of {day}; the newest is {newest}.")
    return found


def person_id(connection: Connection, name: str) -> int:
    """Find a person's row, or make it."""
    found = connection.execute(select(PersonRow.id).where(PersonRow.name == name)).scalar()
    if found is None:
        found = connection.execute(insert(PersonRow).values(name=name).returning(PersonRow.id)).scalar_one()
    return found
