"""Select rankings to evaluate: either the rankings of one ranker, or the official ranking of each report issue."""

from collections.abc import Iterable

import numpy as np
import pandas as pd

from presort.data.learning.official import official_rows
from presort.data.records import Condition
from presort.data.running import service
from presort.data.store import Store
from presort.ranker.versions import DEFAULT

SORTED = ""  # used instead of a ranker's name to select the official ranking of each report issue


def rows_of(store: Store, table: pd.DataFrame, ranker: str) -> pd.DataFrame:
    """Return a ranker's rows or, for `SORTED`, the rows of the rankings for editors.

    Parameters
    ----------
    table : DataFrame
        Result of `table.scores`, or its columns ``report``, ``issue``, ``ranker`` and ``was_shown``.
    """
    if ranker != SORTED:
        return table[table["ranker"] == ranker]
    return rankings_for_editors(table, table["issue"].map(active_by_issue(store, table["issue"].unique())))


def active_by_issue(store: Store, dates: Iterable[pd.Timestamp]) -> dict[pd.Timestamp, str]:
    """Return the ranker that is active for the issue on each date, as `rankers.active_ranker` does."""
    choices = store.read_once("ranker choices", service.ranker_choices)
    found = {day: service.choice_of(choices, day.date()) for day in dates}
    return {day: choice.active if choice else DEFAULT for day, choice in found.items()}


def rankings_for_editors(table: pd.DataFrame, active: "pd.Series[str]") -> pd.DataFrame:
    """Return each report issue's official ranking: the one shown to the editor, or else the active ranker's.

    Parameters
    ----------
    table : DataFrame
        Table with the same columns as in `rows_of`, sorted by report and issue.
    active : Series
        Active ranker for the issue of each row.

    Returns
    -------
    DataFrame
        One row per report issue. Report issues with neither ranking are left out.

    Examples
    --------
    >>> table = pd.DataFrame({"report": "lab", "issue": [1, 1, 2, 2, 3], "ranker": ["a", "b", "a", "b", "b"]})
    >>> table = table.assign(was_shown=[False, True, False, False, False])
    >>> found = rankings_for_editors(table, pd.Series("a", table.index))
    >>> list(zip(found["issue"], found["ranker"]))
    [(1, 'b'), (2, 'a')]
    """
    found = table[table["was_shown"].astype(bool) | (table["ranker"] == active)]
    keys = [found[name].to_numpy() for name in ("report", "issue")]
    # The table has one official ranking per ranker, so at most two rows per report issue remain, one of them shown.
    condition = np.where(found["was_shown"].astype(bool), Condition.SHOWN, Condition.LIVE)
    return found.iloc[official_rows(keys, condition, np.arange(len(found)))]
