"""Current decisions on each report issue, derived from the decision log.

The table `current_decisions` has one row per report issue. Without it, every query about all reports would have to read
the whole log.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from sqlalchemy import Connection, text

from presort.data.tables.positions import pack

LOGGED = """SELECT d.report_id, d.issue_id, d.id, l.position, d.about, d.label
FROM decision d JOIN listing l ON l.issue_id = d.issue_id AND l.paper_id = d.paper_id
{where}ORDER BY d.report_id, d.issue_id, d.id"""
ALL_LOGGED = LOGGED.format(where="")
NEWEST = text("SELECT coalesce(max(newest), 0) FROM current_decisions")
# The newest log number is a parameter, because PostgreSQL would scan the whole log for each decision if it were a
# subquery: it would estimate that a third of all decisions are new. The subquery below has no DISTINCT or ORDER BY,
# because SQLite would then scan the whole log, too.
OF_NEW = """WHERE (d.report_id, d.issue_id) IN (SELECT report_id, issue_id FROM decision WHERE id > :newest)
"""
CHANGED = text(LOGGED.format(where=OF_NEW))
STORED = """SELECT report_id, issue_id, relevant, maybe, irrelevant, newest FROM current_decisions
ORDER BY report_id, issue_id"""
STORE = text("""
INSERT INTO current_decisions (report_id, issue_id, relevant, maybe, irrelevant, newest)
VALUES (:report_id, :issue_id, :relevant, :maybe, :irrelevant, :newest)
ON CONFLICT (report_id, issue_id) DO UPDATE SET relevant = excluded.relevant, maybe = excluded.maybe,
    irrelevant = excluded.irrelevant, newest = excluded.newest
""")


class CurrentDecisions(NamedTuple):
    """Row of the table `current_decisions`, with its fields in the order of the columns.

    Attributes
    ----------
    relevant, maybe, irrelevant : bytes
        Packed list positions, in ascending order.
    newest : int
        Log number of the newest decision, whether on relevance or on publishing.
    """

    report_id: int
    issue_id: int
    relevant: bytes
    maybe: bytes
    irrelevant: bytes
    newest: int


def update_current_decisions(connection: Connection) -> None:
    """Update the current decisions for all report issues that have new decisions in the log.

    This must be called in every transaction that adds decisions.
    """
    newest = connection.execute(NEWEST).scalar_one()
    changed = [one._asdict() for one in current_decisions(connection.execute(CHANGED, {"newest": newest}).all())]
    if changed:
        connection.execute(STORE, changed)


def current_decisions(logged: Iterable[tuple[Any, ...]]) -> Iterator[CurrentDecisions]:
    """Derive the current decisions on each report issue from the log, and yield them.

    Parameters
    ----------
    logged : iterable of tuple
        Rows of the query `LOGGED`, grouped by report issue, oldest first.

    Examples
    --------
    >>> log = [(1, 1, 4, 2, "relevant", "no"), (1, 1, 5, 2, "relevant", "yes"), (1, 1, 9, 2, "publish", "yes")]
    >>> [(one.relevant.hex(), one.irrelevant, one.newest) for one in current_decisions(log)]
    [('02000000', b'', 9)]
    """
    for (report, issue), of_pair in groupby(logged, key=itemgetter(0, 1)):
        rows = list(of_pair)
        labels = {position: label for _, _, _, position, about, label in rows if about == "relevant"}
        yes, maybe, no = (pack(sorted(at for at in labels if labels[at] == label)) for label in ("yes", "maybe", "no"))
        yield CurrentDecisions(report, issue, yes, maybe, no, newest=rows[-1][2])


def find_mismatches(stored: Iterable[tuple[Any, ...]], logged: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield a message for each report issue whose stored current decisions are inconsistent with the log.

    Parameters
    ----------
    stored, logged : iterable of tuple
        All rows of the queries `STORED` and `ALL_LOGGED`.
    """
    rows = {row[:2]: row for row in stored}
    for one in current_decisions(logged):
        if rows.pop(one[:2], None) != one:
            yield f"the current decisions of report {one[0]} on issue {one[1]} differ from the log"
    for report, issue in rows:
        yield f"the current decisions of report {report} on issue {issue} are not in the log"
