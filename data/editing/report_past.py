"""Summarise a report's stored data in numbers. If a retired report is restored, this data becomes available again."""

from datetime import date
from typing import NamedTuple

from sqlalchemy import func, select

from presort.data.catalogue import report_id
from presort.data.learning.history import read_hints
from presort.data.mail import readers
from presort.data.records import Hints
from presort.data.running.people import editors_on, read_editorships
from presort.data.store import Store
from presort.data.tables import CurrentDecisionsRow, ReadershipRow, ReportIssueRow
from presort.data.tables.positions import count_positions


class ReportPast(NamedTuple):
    """Numbers that summarise a report's stored data.

    Attributes
    ----------
    n_published : int
        Number of published report issues.
    n_decided, n_relevant : int
        Number of papers with a current decision, and how many of them are relevant.
    n_readers : int
        Number of current readers.
    editors : tuple of str
        Names of the report's editors on the given day.
    n_hints : int
        Total number of muted terms, boosted terms and examples.
    """

    n_published: int
    n_decided: int
    n_relevant: int
    n_readers: int
    editors: tuple[str, ...]
    n_hints: int

    def figures(self) -> dict[str, str]:
        """Return the formatted figures by their on-screen labels.

        Examples
        --------
        >>> ReportPast(52, 1204, 312, 214, ("Ann Lee",), 5).figures()["Decisions"]
        '1,204 (312 relevant)'
        """
        return {
            "Published issues": f"{self.n_published:,}",
            "Decisions": f"{self.n_decided:,} ({self.n_relevant:,} relevant)",
            "Readers": f"{self.n_readers:,}",
            "Editors": ", ".join(self.editors) or "none",
            "Hints": f"{self.n_hints:,}",
        }


def report_past(store: Store, code: str, today: date) -> ReportPast:
    """Summarise the stored data of a report, whether or not it is retired.

    Raises
    ------
    RefusedError
        If the report does not exist.
    """
    current, log = CurrentDecisionsRow, ReadershipRow
    n_relevant, *others = (
        func.coalesce(func.sum(count_positions(words)), 0)
        for words in (current.relevant, current.maybe, current.irrelevant)
    )
    with store.reading() as connection:
        of_report = report_id(connection, code)
        published = select(func.count()).where(ReportIssueRow.report_id == of_report)
        counts = select(n_relevant, sum(others, n_relevant)).where(current.report_id == of_report)
        reading = select(func.count()).where(
            log.report_id == of_report, log.id.in_(readers.newest_subscriptions()), log.is_reading
        )
        relevant, decided = connection.execute(counts).one()
        hints = read_hints(connection).get(code, Hints())
        return ReportPast(
            n_published=connection.execute(published).scalar_one(),
            n_decided=decided,
            n_relevant=relevant,
            n_readers=connection.execute(reading).scalar_one(),
            editors=tuple(editors_on(read_editorships(connection), code, today)),
            n_hints=len(hints.muted) + len(hints.boosted) + len(hints.seeds),
        )
