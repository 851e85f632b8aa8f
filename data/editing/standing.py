"""How a report issue under review stands: the desk asks every other second, so it must be quick to tell."""

from datetime import date
from typing import NamedTuple, cast

from sqlalchemy import ColumnElement, Connection, Select, func, select

from presort.data.catalogue import issue_id, report_id
from presort.data.records import Word
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import DecisionRow, DrawRow, PaperNoteRow, PaperRow, ReadMarkRow

MOST_NOTES = 2**26  # in all logs of a workspace; with as many decisions the two make a number that a browser counts


class Newest(NamedTuple):
    """Numbers of the newest decision, tag or note, mark of how far was read, and draw in the logs; 0 where is none."""

    decision: int = 0
    note: int = 0
    mark: int = 0
    draw: int = 0

    @property
    def number(self) -> int:
        """The first two as one number, that grows with each.

        Examples
        --------
        >>> Newest.of_number(Newest(7, 3, 5, 2).number)
        Newest(decision=7, note=3, mark=0, draw=0)
        """
        return self.decision * MOST_NOTES + self.note

    @staticmethod
    def of_number(number: int | None) -> "Newest":
        """Return what made that number; nothing seen yet for None."""
        return Newest(*divmod(number or 0, MOST_NOTES))


class Said(NamedTuple):
    """The decision that counts on a paper, by its number in the log, and what its editor was looking at.

    `is_alone` is true if it says nothing of the papers above it in that list.
    """

    number: int
    word: Word
    ranking_id: int | None
    is_alone: bool = False


def newest_decision(store: Store) -> int:
    """Return the number of the newest decision in the log of all reports; 0 where there is none."""
    with store.reading() as connection:
        return connection.execute(select(func.coalesce(func.max(DecisionRow.id), 0))).scalar_one()


def newest(store: Store, report: str, issue: date) -> Newest:
    """Return how far the logs of a report issue go: where it is the same again, nothing has changed."""
    with store.reading(Right.SEE, report) as connection:
        of_report, of_issue = report_id(connection, report), issue_id(connection, issue)
        last = (
            select(func.max(log.id)).where(log.report_id == of_report, log.issue_id == of_issue).scalar_subquery()
            for log in (DecisionRow, PaperNoteRow, ReadMarkRow, DrawRow)
        )
        decision, note, mark, draw = connection.execute(select(*last)).one()
    return Newest(decision or 0, note or 0, mark or 0, draw or 0)


def said(store: Store, report: str, issue: date) -> dict[str, Said]:
    """Return the newest decision on whether each paper is relevant, by paper id, also one of "undecided" again."""
    with store.reading(Right.SEE, report) as connection:
        last = _last(connection, report, issue, DecisionRow, DecisionRow.about == "relevant").subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, DecisionRow.id, DecisionRow.word, DecisionRow.ranking_id, DecisionRow.is_alone)
            .join(last, last.c.id == DecisionRow.id)
            .join(PaperRow, PaperRow.id == DecisionRow.paper_id)
        )
        return {paper: Said(number, cast("Word", word), ranking, alone) for paper, number, word, ranking, alone in rows}


def noted(store: Store, report: str, issue: date) -> dict[str, int]:
    """Return the number in the log of the newest tag or note on each paper that ever had one, by paper id."""
    with store.reading(Right.SEE, report) as connection:
        last = _last(connection, report, issue, PaperNoteRow).subquery()
        rows = connection.execute(
            select(PaperRow.paper_id, last.c.id).join(last, last.c.paper_id == PaperRow.id).order_by(last.c.id)
        )
        return dict(rows.all())


def _last(
    connection: Connection,
    report: str,
    issue: date,
    log: type[DecisionRow] | type[PaperNoteRow],
    *wanted: ColumnElement[bool],
) -> Select[int, int]:
    of_issue = (log.report_id == report_id(connection, report), log.issue_id == issue_id(connection, issue))
    return select(log.paper_id, func.max(log.id).label("id")).where(*of_issue, *wanted).group_by(log.paper_id)
