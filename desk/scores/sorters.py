"""Which rankings are looked at: those of one ranker, or of each report issue the one that sorted it for its editor."""

import pandas as pd

from data.store import Store
from desk.service import rankers

SORTED = ""  # in the place of a ranker's name: whichever sorted the report issue for its editor


def rows_of(store: Store, table: pd.DataFrame, ranker: str) -> pd.DataFrame:
    """Keep the rows of a ranker, or of `SORTED`.

    Parameters
    ----------
    table : DataFrame
        Columns ``report``, ``issue``, ``ranker``, and ``was_shown``, whether its editor had that ranking before them.
    """
    if ranker != SORTED:
        return table[table["ranker"] == ranker]
    return for_editors(table, table["issue"].map(rankers.active_by_issue(store, table["issue"].unique())))


def for_editors(table: pd.DataFrame, active: "pd.Series[str]") -> pd.DataFrame:
    """Keep of each report issue the ranking that was shown, or else that of the ranker chosen for the issue then.

    Parameters
    ----------
    table : DataFrame
        As for `rows_of`.
    active : Series
        The ranker chosen for the issue of each row.

    Returns
    -------
    DataFrame
        Nothing of a report issue that neither of them sorted.

    Examples
    --------
    >>> table = pd.DataFrame({"report": "lab", "issue": [1, 1, 2, 2, 3], "ranker": ["a", "b", "a", "b", "b"]})
    >>> found = for_editors(table.assign(was_shown=[False, True, False, False, False]), pd.Series("a", table.index))
    >>> list(zip(found["issue"], found["ranker"]))
    [(1, 'b'), (2, 'a')]
    """
    was_shown = table["was_shown"].astype(bool)
    is_any_shown = was_shown.groupby([table["report"], table["issue"]]).transform("any")
    return table[was_shown.where(is_any_shown, table["ranker"] == active)]
