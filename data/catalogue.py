"""Catalogue of a workspace: issues and their papers, reports and settings."""

from collections.abc import Collection, Sequence
from datetime import UTC, date, datetime, timedelta
from typing import Any
from uuid import uuid4
from weakref import WeakKeyDictionary

from sqlalchemy import ColumnElement, Connection, RootTransaction, bindparam, delete, func, insert, select, update

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

WORKSPACE_ID = "workspace-id"  # name of the setting that contains the workspace's id
ARCHIVE = timedelta(days=365)  # in an empty workspace, issues older than this are never late for a new report

# These queries are built once, because most transactions use them several times, and building a query takes longer than
# running it.
_REPORT_ID = select(ReportRow.id).where(ReportRow.code == bindparam("code"))
_ISSUE_ID = select(IssueRow.id).where(IssueRow.date == bindparam("day", type_=IssueRow.date.type))
# For each transaction, the results of `list_ids` by report code and issue date.
_CACHED_IDS: WeakKeyDictionary[RootTransaction, dict[tuple[str, date], dict[str, int]]] = WeakKeyDictionary()
_PERSON_ID = select(PersonRow.id).where(PersonRow.name == bindparam("name"))
_SETTING = select(SettingRow.value).where(SettingRow.name == bindparam("name"))
_LIST_IDS = select(_REPORT_ID.scalar_subquery().label("report"), _ISSUE_ID.scalar_subquery().label("issue"))


def revision(store: Store) -> int:
    """Return the revision of the workspace, a number that increases whenever any process changes the data."""
    with store.reading(Right.SEE) as connection:
        return connection.execute(select(RevisionRow.number)).scalar_one()


def next_revision(connection: Connection) -> int:
    """Return the revision that the workspace will have when the change on this connection is committed.

    The connection holds the write lock, so no other change gets the same number. Caches use the revision as a key
    instead of a time, because the clock can be set back.
    """
    return connection.execute(select(RevisionRow.number + 1)).scalar_one()


def setting(store: Store, name: str) -> str | None:
    """Return the value of a setting, or None if it was never set."""
    with store.reading(Right.SEE) as connection:
        return read_setting(connection, name)


def read_setting(connection: Connection, name: str) -> str | None:
    """Return the value of a setting, using an open connection. Returns None if it was never set."""
    return connection.execute(_SETTING, {"name": name}).scalar()


def set_setting(store: Store, name: str, value: str, *, description: str = "", report: str = "") -> None:
    """Store a setting. If `description` is given, log the change, optionally with a report code."""
    with store.writing() as connection:
        if description:
            log_change(connection, description, person=store.author(connection), report=report)
        write_setting(connection, name, value)


def write_setting(connection: Connection, name: str, value: str) -> None:
    """Store a setting in an open write transaction."""
    connection.execute(delete(SettingRow).where(SettingRow.name == name))
    connection.execute(insert(SettingRow).values(name=name, value=value))


def workspace_id(store: Store) -> str:
    """Return the unique id of a workspace, generated on the first call. Moving the workspace doesn't change it."""
    known = setting(store, WORKSPACE_ID)
    if known is None:
        with store.writing(Right.SEE) as connection:
            # Read the id again under the lock, because another process may have created it in the meantime.
            known = read_setting(connection, WORKSPACE_ID) or str(uuid4())
            write_setting(connection, WORKSPACE_ID, known)
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
    """Return the papers of an issue in list order, or an empty list if the issue does not exist."""
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
    """Return the paper with this id.

    Raises
    ------
    RefusedError
        If the paper does not exist.
    """
    with store.reading(Right.SEE) as connection:
        found = connection.execute(select(*PAPER_COLUMNS).where(PaperRow.paper_id == paper_id)).first()
    if found is None:
        raise RefusedError(f"There is no paper {paper_id!r}. Use the id from the imported file.")
    return paper_of(found)


def reports(store: Store, *, retired: bool = False) -> list[Report]:
    """Return the reports that the user may see, sorted by code. If `retired` is True, include retired reports."""
    with store.reading(Right.SEE) as connection:
        rows = connection.execute(select(ReportRow.code, ReportRow.name, ReportRow.retired_at).order_by(ReportRow.code))
        found = [Report(code, name, is_retired=retired_at is not None) for code, name, retired_at in rows]
        is_seen = store.has_right(connection, Right.SEE, [report.code for report in found])
    return [report for report, seen in zip(found, is_seen, strict=True) if seen and (retired or not report.is_retired)]


def add_reports(
    store: Store, new: Sequence[Report], *, returning: Collection[str] | None = None, first_issue: date | None = None
) -> None:
    """Add new reports, or restore retired reports with their past data.

    Parameters
    ----------
    returning : collection of str, optional
        Codes of the retired reports that may be restored. Defaults to all of them.
    first_issue : date, optional
        Date of the first issue that the editors still have to publish. Older issues are never pending. Defaults to the
        newest issue. For a report with published issues, defaults to the first issue after the newest published issue.

    Raises
    ------
    RefusedError
        If a code is in use, or belongs to a retired report that is not in `returning`.
    """
    with store.writing() as connection:
        known = dict(connection.execute(select(ReportRow.code, ReportRow.retired_at)).all())
        for report in new:
            if report.code not in known:
                add_report_row(connection, report, first_issue)
            elif known[report.code] is None:
                raise RefusedError(f"Report code {report.code!r} is already taken. Choose another code.")
            elif returning is not None and report.code not in returning:
                raise RefusedError(
                    f"Report {report.code!r} was retired in the meantime. Check its past data before you restore it."
                )
            else:
                back = update(ReportRow).where(ReportRow.code == report.code)
                connection.execute(back.values(retired_at=None, **_row_values(connection, report, first_issue)))
            known[report.code] = None
            log_change(connection, "Added the report", person=store.author(connection), report=report.code)


def add_report_row(connection: Connection, report: Report, first_issue: date | None = None) -> None:
    """Insert the row for a new report."""
    connection.execute(insert(ReportRow).values(code=report.code, **_row_values(connection, report, first_issue)))


def _row_values(connection: Connection, report: Report, first_issue: date | None) -> dict[str, object]:
    since = late_after(connection)
    if first_issue is not None:
        since = max(since, first_issue - timedelta(days=1))  # issues before the report's first issue are never late
    return {"name": report.name, "late_after": since, "first_issue": first_issue}


def late_after(connection: Connection) -> date:
    """Return the date of the newest issue. For a report added now, only later issues can be late.

    The result depends on the stored issues, not on the clock. If there are no issues, the function returns the date one
    year ago, because an archive may be imported after the first report is added.
    """
    newest = connection.execute(select(func.max(IssueRow.date))).scalar()
    return newest or date.today() - ARCHIVE


def rename_report(store: Store, code: str, name: str) -> None:
    """Change the name of a report. Its code stays the same."""
    with store.writing() as connection:
        of_report = ReportRow.id == report_id(connection, code)
        before = connection.execute(select(ReportRow.name).where(of_report)).scalar_one()
        who = store.author(connection)
        log_change(connection, "Renamed the report", person=who, report=code, before=before, after=name)
        connection.execute(update(ReportRow).where(of_report).values(name=name))


def retire_report(store: Store, code: str) -> None:
    """Retire a report. Issues are no longer ranked for it, but its decisions remain stored.

    A report that is already retired is left unchanged.
    """
    with store.writing() as connection:
        is_out = update(ReportRow).where(ReportRow.id == report_id(connection, code), ReportRow.retired_at.is_(None))
        if connection.execute(is_out.values(retired_at=datetime.now(UTC))).rowcount:
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
    """Log a change. This must be called in the transaction that makes the change.

    Parameters
    ----------
    description : str
        Description of the change. It must not contain people's names, because log entries can't be erased.
    person, about : str
        Author of the change, and the affected person.
    report : str
        Code of the affected report.
    before, after : str
        Old and new value. Both must be empty for personal data, because it must be possible to erase personal data.
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


def list_ids(connection: Connection, report: str, issue: date) -> dict[str, int]:
    """Return the database ids of a report and an issue, as the query parameters "report" and "issue".

    Ids never change, so they are read only once per transaction.

    Raises
    ------
    RefusedError
        If the report or the issue does not exist.
    """
    transaction = connection.get_transaction()
    known = {} if transaction is None else _CACHED_IDS.setdefault(transaction, {})
    if found := known.get((report, issue)):
        return found
    found = connection.execute(_LIST_IDS, {"code": report, "day": issue}).one()._asdict()
    if None in found.values():
        found = {"report": report_id(connection, report), "issue": issue_id(connection, issue)}
    if not connection.in_nested_transaction():  # rolling back a savepoint may remove a new report or issue
        known[report, issue] = found
    return found


def list_conditions(log: Any) -> tuple[ColumnElement[bool], ColumnElement[bool]]:
    """Return the conditions that select one report issue's rows in a log. `list_ids` returns their parameters."""
    return log.report_id == bindparam("report"), log.issue_id == bindparam("issue")


def report_id(connection: Connection, code: str) -> int:
    """Return the database id of a report. Raises RefusedError if it does not exist."""
    found = connection.execute(_REPORT_ID, {"code": code}).scalar()
    if found is None:
        known = ", ".join(connection.execute(select(ReportRow.code).order_by(ReportRow.code)).scalars()) or "none yet"
        raise RefusedError(f"There is no report {code!r}. Reports: {known}.")
    return found


def issue_id(connection: Connection, day: date) -> int:
    """Return the database id of an issue. Raises RefusedError if it does not exist."""
    found = connection.execute(_ISSUE_ID, {"day": day}).scalar()
    if found is None:
        newest = connection.execute(select(func.max(IssueRow.date))).scalar() or "none, import papers first"
        raise RefusedError(f"There is no issue of {day}. Newest issue: {newest}.")
    return found


def person_id(connection: Connection, name: str) -> int:
    """Return the database id of a person. Add the person if the database doesn't contain them yet."""
    found = connection.execute(_PERSON_ID, {"name": name}).scalar()
    if found is None:
        found = connection.execute(insert(PersonRow).values(name=name).returning(PersonRow.id)).scalar_one()
    return found
