"""What editors decided, and what they sent out."""

from collections import deque
from collections.abc import Callable, Collection, Iterable, Sequence
from datetime import UTC, date, datetime
from typing import Any, cast

from sqlalchemy import Connection, Row, Select, func, insert, select

from presort.data.catalogue import issue_id, person_id, report_id
from presort.data.editing.drafts import going_out, newest_draft
from presort.data.editing.messages import not_in_log, refuse_issued, rows_of
from presort.data.editing.publications import n_published_papers
from presort.data.editing.read_papers import read_now
from presort.data.errors import OutdatedError
from presort.data.index.judged_issues import catch_up
from presort.data.learning.first_publications import add_first_publications, counts
from presort.data.learning.history import current_words
from presort.data.records import ALL_READ, About, Approved, Cutoff, Decision, Extent, ReportIssue, Word
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DecisionRow, IssueRow, JudgedIssueRow, PaperRow, PersonRow, ReportIssueRow, ReportRow
from presort.data.tables.positions import n_packed, packed, unpacked

STANDING = (
    ReportIssueRow.published,
    ReportIssueRow.ranking_id,
    ReportIssueRow.note,
    ReportIssueRow.source,
    ReportIssueRow.n_papers,
    ReportIssueRow.unread,
    ReportIssueRow.ended,
    ReportIssueRow.stop_at,
)

ReadExtent = Callable[[Connection], Extent]  # in the transaction that stores it


def decide(store: Store, decisions: Iterable[Decision]) -> int:
    """Add decisions to the log, all or none, and give how many were new.

    A decision whose `client_id` is in the log already is passed over: sending a message twice is harmless.

    Raises
    ------
    RefusedError
        If the report, the issue or the paper is not there, or the report issue has gone out.
    """
    decisions = list(decisions)
    with store.writing(Right.EDIT, *{decision.report for decision in decisions}) as connection:
        new = not_in_log(connection, DecisionRow.client_id, decisions)
        rows = rows_of(connection, new)
        for report, issue in dict.fromkeys((decision.report, decision.issue) for decision in new):
            refuse_issued(connection, report, issue)
        now = {"made_at": datetime.now(UTC)}
        if new:
            said = [row | _said(decision) | now for row, decision in zip(rows, new, strict=True)]
            connection.execute(insert(DecisionRow), said)
            catch_up(connection)
    return len(new)


def words(store: Store, report: str, issue: date, about: About = "relevant") -> dict[str, Word]:
    """Return the word that counts now on each decided paper of an issue, by paper id."""
    with store.reading(Right.SEE, report) as connection:
        current = current_words(report_id(connection, report), issue_id(connection, issue), about).subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, current.c.word)
            .join(current, current.c.paper_id == PaperRow.id)
            .order_by(current.c.position)
        )
        return {paper: cast("Word", word) for paper, word in rows if word != "undecided"}


def words_at(connection: Connection, report: int, issue: int) -> dict[int, Word]:
    """Return what `words` does, by list position, for the rows of a report and an issue, on a connection at hand."""
    rows = connection.execute(current_words(report, issue))
    return {position: cast("Word", word) for position, _, word in rows if word != "undecided"}


def n_relevant(store: Store, reports: Sequence[str] = ()) -> dict[str, int]:
    """Count, by report, the papers found relevant in all issues; for some reports, or for all unless told."""
    query = (
        select(ReportRow.code, func.coalesce(func.sum(n_packed(JudgedIssueRow.relevant)), 0))
        .outerjoin(JudgedIssueRow, JudgedIssueRow.report_id == ReportRow.id)
        .group_by(ReportRow.code)
        .order_by(ReportRow.code)
    )
    with store.reading() as connection:
        return dict(connection.execute(query.where(ReportRow.code.in_(reports)) if reports else query).all())


def newest_decisions(store: Store, before: date, cutoff: Cutoff | None = None) -> dict[str, int]:
    """Return, by report, the number of the newest decision in the log on issues before a date, or within a cutoff."""
    log = DecisionRow
    query = _newest(before)
    if cutoff is not None:
        query = (
            select(ReportRow.code, func.max(log.id))
            .join(ReportRow, ReportRow.id == log.report_id)
            .join(IssueRow, IssueRow.id == log.issue_id)
            .where(IssueRow.date < before, counts(log, cutoff))
            .group_by(ReportRow.code)
        )
    with store.reading() as connection:
        return dict(connection.execute(query).all())


def newest_before(store: Store, days: Sequence[date]) -> dict[date, dict[str, int]]:
    """Return for each of some dates what `newest_decisions` does; all is read once, however many there are."""
    with store.reading() as connection:
        newest = _newest(max(days, default=date.min), IssueRow.date).order_by(IssueRow.date)
        left = deque(connection.execute(newest).all())
    known, found = dict[str, int](), {}
    for day in sorted(days):
        while left and left[0].date < day:
            report, number, _ = left.popleft()
            known[report] = max(number, known.get(report, 0))
        found[day] = dict(known)
    return found


def _newest(before: date, *by: Any) -> Select[*tuple[Any, ...]]:
    return (
        select(ReportRow.code, func.max(JudgedIssueRow.newest), *by)
        .join(ReportRow, ReportRow.id == JudgedIssueRow.report_id)
        .join(IssueRow, IssueRow.id == JudgedIssueRow.issue_id)
        .where(IssueRow.date < before)
        .group_by(ReportRow.code, *by)
    )


def issue_report(
    store: Store,
    report: str,
    issue: date,
    order: Sequence[int],
    *,
    ranking_id: int | None,
    person: str,
    extent: Extent | ReadExtent = ALL_READ,
    approved: Approved | None = None,
) -> tuple[int, ...]:
    """Send out an issue's papers for a report, once, and give their list positions in the order they went out.

    These are the relevant papers that are not marked unpublished, in the order of the draft, whose note to the readers
    goes with them. The log then says of each relevant paper whether it went out.

    Parameters
    ----------
    order : sequence of int
        List positions as the editor saw them, for papers that the draft does not place.
    ranking_id : int or None
        The ranking that put them so; None in list order.
    extent : Extent or callable
        How far the issue was read; a word on a paper says that it was read after all. A callable reads it on the
        connection that writes: what another window or an import adds comes before all of this, or after it.
    approved : Approved, optional
        What the editor saw. Nothing is checked by default.

    Raises
    ------
    RefusedError
        If it went out before and was not reopened.
    OutdatedError
        If something else would go out than the editor saw.
    """
    with store.writing(Right.EDIT, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        refuse_issued(connection, report, issue)
        published = going_out(connection, of_report, of_issue, order)
        words = connection.execute(current_words(of_report, of_issue)).all()
        note = newest_draft(connection, of_report, of_issue).note
        maybe = frozenset(position for position, _, word in words if word == "maybe")
        if approved not in (None, Approved(published, maybe, note)):
            raise OutdatedError(f"{report} {issue} was changed in another window meanwhile. Look at it again.")
        decided = {position for position, _, word in words if word != "undecided"}
        shown = {"report_id": of_report, "issue_id": of_issue, "ranking_id": ranking_id}
        now = {"person_id": person_id(connection, person), "issued_at": datetime.now(UTC)}
        sent = {"published": packed(published), "note": note, "source": "desk"}
        read = _read_to(connection, of_report, of_issue, extent, decided)
        connection.execute(insert(ReportIssueRow).values(**shown, **now, **sent, **read))
        _log_published(connection, shown | {"person_id": now["person_id"]}, words, published)
        add_first_publications(connection)
    return published


def _read_to(
    connection: Connection, report: int, issue: int, extent: Extent | ReadExtent, decided: Collection[int]
) -> dict[str, Any]:
    """Return the stored reading extent of an issue."""
    n_papers = n_published_papers(connection, report, issue, read_now(connection, report, issue))
    found = extent if isinstance(extent, Extent) else extent(connection)
    unread = sorted(position for position in set(found.unread).difference(decided) if position <= n_papers)
    return {"n_papers": n_papers, "unread": packed(unread), "ended": found.ended, "stop_at": found.stop_at}


def _log_published(
    connection: Connection, values: dict[str, Any], words: Iterable[tuple[int, int, str]], published: Collection[int]
) -> None:
    """Add to the log of each relevant paper whether it was published."""
    log = {**values, "made_at": datetime.now(UTC), "about": "publish", "source": "rule"}
    said = [
        {**log, "paper_id": paper, "word": "yes" if position in published else "no"}
        for position, paper, word in words
        if word == "yes"
    ]
    if said:
        connection.execute(insert(DecisionRow), said)
        catch_up(connection)


def issued(store: Store, report: str) -> dict[date, ReportIssue]:
    """Return the report issues that have gone out, by the date of the issue."""
    with store.reading(Right.SEE, report) as connection:
        rows = connection.execute(
            select(IssueRow.date, PersonRow.name, *STANDING)
            .join(IssueRow, IssueRow.id == ReportIssueRow.issue_id)
            .join(PersonRow, PersonRow.id == ReportIssueRow.person_id)
            .where(ReportIssueRow.report_id == report_id(connection, report))
            .order_by(IssueRow.date)
        )
        return {row.date: report_issue(report, row.date, row) for row in rows}


def report_issue(report: str, issue: date, row: Row[*tuple[Any, ...]]) -> ReportIssue:
    """Make the record of a row with the columns of `STANDING` and the person's name."""
    published, unread = (tuple(unpacked(cell).tolist()) for cell in (row.published, row.unread))
    extent = Extent(unread, row.ended, row.stop_at)
    return ReportIssue(report, issue, published, row.name, row.ranking_id, row.note, row.source, row.n_papers, extent)


def _said(decision: Decision) -> dict[str, Any]:
    return {
        "client_id": decision.client_id,
        "about": decision.about,
        "word": decision.word,
        "ranking_id": decision.ranking_id,
        "source": decision.source,
        "is_alone": decision.is_alone,
    }
