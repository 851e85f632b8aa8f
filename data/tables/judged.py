"""The words that count on the papers of a report issue, counted from the log of decisions.

`judged_issue` keeps them, a row a report issue: so nothing that is asked of all reports reads all that was ever said.
"""

from collections.abc import Iterable, Iterator
from itertools import groupby
from operator import itemgetter
from typing import Any, NamedTuple

from presort.data.tables.positions import packed

LOGGED = """SELECT d.report_id, d.issue_id, d.id, l.position, d.about, d.word
FROM decision d JOIN listing l ON l.issue_id = d.issue_id AND l.paper_id = d.paper_id
{where}ORDER BY d.report_id, d.issue_id, d.id"""
ALL_LOGGED = LOGGED.format(where="")
KEPT = "SELECT report_id, issue_id, relevant, maybe, irrelevant, newest FROM judged_issue ORDER BY report_id, issue_id"


class Judged(NamedTuple):
    """A row of `judged_issue`, whose columns it has in its order.

    Attributes
    ----------
    relevant, maybe, irrelevant : bytes
        Packed list positions, ascending.
    newest : int
        Number of the newest decision, whatever it is about.
    """

    report_id: int
    issue_id: int
    relevant: bytes
    maybe: bytes
    irrelevant: bytes
    newest: int


def judged_issues(logged: Iterable[tuple[Any, ...]]) -> Iterator[Judged]:
    """Yield what counts of each report issue.

    Parameters
    ----------
    logged : iterable of tuple
        Rows as `LOGGED` selects them: all of a report issue follow each other, oldest first.

    Examples
    --------
    >>> said = [(1, 1, 4, 2, "relevant", "no"), (1, 1, 5, 2, "relevant", "yes"), (1, 1, 9, 2, "publish", "yes")]
    >>> [(one.relevant.hex(), one.irrelevant, one.newest) for one in judged_issues(said)]
    [('02000000', b'', 9)]
    """
    for (report, issue), of_pair in groupby(logged, key=itemgetter(0, 1)):
        rows = list(of_pair)
        words = {position: word for _, _, _, position, about, word in rows if about == "relevant"}
        yes, maybe, no = (packed(sorted(at for at in words if words[at] == word)) for word in ("yes", "maybe", "no"))
        yield Judged(report, issue, yes, maybe, no, newest=rows[-1][2])


def wrongly_judged(kept: Iterable[tuple[Any, ...]], logged: Iterable[tuple[Any, ...]]) -> Iterator[str]:
    """Yield of which report issues something else is kept than the log says.

    Parameters
    ----------
    kept, logged : iterable of tuple
        All rows that `KEPT` and `ALL_LOGGED` select.
    """
    rows = {row[:2]: row for row in kept}
    for one in judged_issues(logged):
        if rows.pop(one[:2], None) != one:
            yield f"what counts of the decisions of report {one[0]} on issue {one[1]} is not what the log says"
    for report, issue in rows:
        yield f"what counts of decisions of report {report} on issue {issue} is not in the log"
