"""What messages from the desk point to, found in a few queries however many they are."""

from collections.abc import Iterable, Sequence
from datetime import date
from typing import Any, TypeVar

from sqlalchemy import Connection, select
from sqlalchemy.orm import InstrumentedAttribute

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.errors import RefusedError
from presort.data.records import Decision, Note
from presort.data.tables import IssueRow, ListingRow, PaperRow, ReportIssueRow, ReportRow
from presort.data.text.cleaning import clean

Message = TypeVar("Message", Decision, Note)


def not_in_log(
    connection: Connection, client_ids: InstrumentedAttribute[str | None], messages: Iterable[Message]
) -> list[Message]:
    """Leave out messages whose `client_id` is in the log, or stands twice among them; those without one all stay.

    Parameters
    ----------
    client_ids : column
        That of the log's table.
    """
    given = list(messages)
    wanted = {message.client_id for message in given} - {None}
    known = set(connection.execute(select(client_ids).where(client_ids.in_(wanted))).scalars())
    new = []
    for message in given:
        if message.client_id is None or message.client_id not in known:
            new.append(message)
            known.add(message.client_id)
    return new


def rows_of(connection: Connection, messages: Sequence[Decision] | Sequence[Note]) -> list[dict[str, Any]]:
    """Find the report, issue, paper and person of each message; a new person is added.

    Raises
    ------
    RefusedError
        If a report, an issue, or a paper in that issue is not there.
    """
    reports = {code: report_id(connection, code) for code in dict.fromkeys(m.report for m in messages)}
    issues = {day: issue_id(connection, day) for day in dict.fromkeys(m.issue for m in messages)}
    papers = {day: _listed(connection, row, day, messages) for day, row in issues.items()}
    people = {name: person_id(connection, name) for name in dict.fromkeys(m.person for m in messages)}
    return [
        {
            "report_id": reports[message.report],
            "issue_id": issues[message.issue],
            "paper_id": papers[message.issue][message.paper_id],
            "person_id": people[message.person],
        }
        for message in messages
    ]


def refuse_issued(connection: Connection, report: str, issue: date) -> None:
    """Refuse what would change a report issue that has gone out."""
    found = connection.execute(
        select(ReportIssueRow.issued_at)
        .join(ReportRow, ReportRow.id == ReportIssueRow.report_id)
        .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
        .where(ReportRow.code == report, IssueRow.date == issue)
    ).scalar()
    if found is not None:
        raise RefusedError(f"{report} {issue} was issued on {found:%Y-%m-%d %H:%M} UTC; reopen it to change anything.")


def kept_text(text: str, what: str, longest: int) -> str:
    r"""Clean a text of several lines line by line; one with more characters than `longest` is refused.

    Examples
    --------
    >>> kept_text(" Wages,\tjobs \r\n\n and pay\n", "A note", 100)
    'Wages, jobs\n\nand pay'
    """
    kept = "\n".join(clean(line) for line in text.splitlines()).strip("\n")
    if len(kept) > longest:
        raise RefusedError(f"{what} can have {longest:,} characters, this one has {len(kept):,}; shorten it.")
    return kept


def _listed(
    connection: Connection, issue: int, day: date, messages: Sequence[Decision] | Sequence[Note]
) -> dict[str, int]:
    wanted = dict.fromkeys(message.paper_id for message in messages if message.issue == day)
    rows = connection.execute(
        select(PaperRow.paper_id, PaperRow.id)
        .join(ListingRow, ListingRow.paper_id == PaperRow.id)
        .where(ListingRow.issue_id == issue, PaperRow.paper_id.in_(wanted))
    )
    found = dict(rows.all())
    if missing := [paper for paper in wanted if paper not in found]:
        raise RefusedError(f"There is no paper {missing[0]!r} in the issue of {day}.")
    return found
