"""What editors were told of where to stop, held against what was found further down by those who read on.

It is always told where one relevant paper in twenty may be missed. What nobody read can't be held against anything:
only editors who read on, and spot checks, show that.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd
from scipy.stats import false_discovery_control, poisson

from presort.data.learning.official import official_rows
from presort.data.records import Condition, KeptPromise
from presort.desk.scores.alarms import LEVEL, Known, windows

SUMMED = ["n_read_below", "told_below", "found_below", "found"]
COLUMNS = ["ranking_id", "report", "issue", "ranker", "condition", "was_shown", *SUMMED]
FEWEST = 3.0  # relevant papers told to be below, to say of a report whether the promise was kept


class Broken(NamedTuple):
    """A report of which more was found below than it was told, in the newest issues.

    `chance` is that of as many or more, were the promise kept, corrected for the number of reports.
    """

    report: str
    n_lists: int
    told: float
    found: int
    chance: float


def table(kept: Iterable[KeptPromise], replay: int | None) -> pd.DataFrame:
    """Return the promises, made for editors or in a replay, that can be held against something that was read below.

    Returns
    -------
    DataFrame
        The official rankings by report, issue and ranker: ``ranking_id``; ``condition``, a `Condition`;
        ``was_shown``, whether the editor had that ranking;
        ``n_read_below``, read below; ``told_below``, relevant papers to be expected among these; ``found_below``,
        as many there were; ``found``, relevant papers in the whole list.
    """
    rows = [
        (
            one.promise.ranking_id,
            one.report,
            pd.Timestamp(one.issue),
            one.ranker,
            one.condition,
            one.condition == Condition.SHOWN,
            *(getattr(one.promise, name) for name in SUMMED),
        )
        for one in kept
        if one.replay == replay
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    keys = [found[name].to_numpy() for name in ("report", "issue", "ranker")]
    official = official_rows(keys, found["condition"].to_numpy(), found["ranking_id"].to_numpy())
    return found.iloc[official].query("n_read_below > 0").reset_index(drop=True)


def sums(promises: pd.DataFrame, by: "str | pd.Series[str]") -> pd.DataFrame:
    """Return the sums of promises by a column, or by a key a row, and ``n_lists``."""
    grouped = promises.groupby(by)
    return grouped[SUMMED].sum().assign(n_lists=grouped.size())


def by_month(promises: pd.DataFrame) -> pd.DataFrame:
    """Return the sums by month, such as ``2026-11``."""
    return sums(promises, promises["issue"].dt.strftime("%Y-%m"))


def broken(promises: pd.DataFrame) -> list[Broken]:
    """Find reports of which more was found below than was told, in the newest 13 issues; the surest first.

    Returns
    -------
    list of Broken
        While all promises are kept, the chance that any report is found is at most `LEVEL`.

    Notes
    -----
    What is told of a paper heeds all found above it, so that issues which hold more than usual don't count as broken
    promises, and counts differ from their sum by no more than Poisson distributed ones. Over all reports with enough
    told, the correction of Benjamini and Hochberg.

    References
    ----------
    Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995.
    """
    newest = newest_sums(promises).query("told_below >= @FEWEST")
    if newest.empty:
        return []
    chances = false_discovery_control(poisson.sf(newest["found_below"] - 1, newest["told_below"]))
    found = [
        Broken(str(report), int(row["n_lists"]), float(row["told_below"]), int(row["found_below"]), float(chance))
        for (report, row), chance in zip(newest.iterrows(), chances, strict=True)
        if chance <= LEVEL
    ]
    return sorted(found, key=lambda one: (one.chance, one.report))


def known(promises: pd.DataFrame, reports: Sequence[str]) -> Known:
    """Count of how many of some reports `broken` can tell whether the promise was kept."""
    told = newest_sums(promises)["told_below"].reindex(list(reports))
    return Known(len(reports), int((told >= FEWEST).sum()), 0, 0)


def newest_sums(promises: pd.DataFrame) -> pd.DataFrame:
    """Return the sums of each report in the newest issues of the service."""
    new, _ = windows(promises)
    return sums(promises[promises["issue"].isin(new)], "report")
