"""What editors were told of where to stop, held against what was found further down by those who read on.

The promise is always that of one relevant paper in twenty. Lists that were read whole can be held against it, and no
others: who stops as told reads on just where more is found.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import pandas as pd
from scipy.stats import false_discovery_control, poisson

from data.records import KeptPromise
from desk.scores.alarms import LEVEL, NEW, Known

COLUMNS = ["report", "issue", "n_read_below", "expected", "expected_below", "found", "found_below"]
FEWEST = 3.0  # relevant papers expected below, to tell of a report whether the promise was kept


class Broken(NamedTuple):
    """A report of which more was found below than it was told, in its newest lists that were read on.

    `chance` is that of as many or more, were the promise kept, corrected for the number of reports.
    """

    report: str
    n_lists: int
    expected: float
    found: int
    chance: float


def table(kept: Iterable[KeptPromise], ranker: str, replay: int | None) -> pd.DataFrame:
    """Return the promises of a ranker that can be held against something: papers below the stop were read.

    Returns
    -------
    DataFrame
        By report and issue, of which the newest ranking counts: ``n_read_below``, papers read below; ``expected`` and
        ``expected_below``, relevant papers to be expected among those read and among those read below; ``found`` and
        ``found_below``, as many there were.
    """
    rows = {
        (one.report, one.issue): (
            one.report,
            pd.Timestamp(one.issue),
            one.promise.n_read_below,
            one.promise.expected,
            one.promise.expected_below,
            one.promise.found,
            one.promise.found_below,
        )
        for one in kept
        if one.ranker == ranker and one.replay == replay and one.promise.n_read_below
    }
    return pd.DataFrame([*rows.values()], columns=COLUMNS)


def sums(promises: pd.DataFrame, by: "str | pd.Series[str]") -> pd.DataFrame:
    """Return the sums of promises by a column, or by a key a row, and ``n_lists``."""
    grouped = promises.groupby(by)
    return grouped[COLUMNS[2:]].sum().assign(n_lists=grouped.size())


def by_month(promises: pd.DataFrame) -> pd.DataFrame:
    """Return the sums by month, such as ``2026-11``."""
    return sums(promises, promises["issue"].dt.strftime("%Y-%m"))


def broken(promises: pd.DataFrame) -> list[Broken]:
    """Find reports of which more was found below than was promised, in their newest 13 lists; the surest first.

    Returns
    -------
    list of Broken
        While all promises are kept, the chance that any report is found is at most `LEVEL`.

    Notes
    -----
    Counts are taken as Poisson distributed, after division by how much more than that they differ from list to list in
    all reports (at least 1); over all reports with enough expected, the correction of Benjamini and Hochberg.

    References
    ----------
    Wedderburn, Quasi-likelihood functions, Biometrika 61, 1974; Benjamini and Hochberg, Journal of the Royal
    Statistical Society B 57, 1995.
    """
    newest = newest_sums(promises).query("expected_below >= @FEWEST")
    if newest.empty:
        return []
    spread = dispersion(promises)
    chances = poisson.sf(newest["found_below"] / spread - 1e-9, newest["expected_below"] / spread)
    found = [
        Broken(str(report), int(row["n_lists"]), float(row["expected_below"]), int(row["found_below"]), float(chance))
        for (report, row), chance in zip(newest.iterrows(), false_discovery_control(chances), strict=True)
        if chance <= LEVEL
    ]
    return sorted(found, key=lambda one: (one.chance, one.report))


def known(promises: pd.DataFrame, reports: Sequence[str]) -> Known:
    """Count of how many of some reports `broken` can tell whether the promise was kept."""
    told = newest_sums(promises)["expected_below"].reindex(list(reports))
    return Known(len(reports), int((told >= FEWEST).sum()), 0, 0)


def newest_sums(promises: pd.DataFrame) -> pd.DataFrame:
    """Return the sums of the newest lists of each report."""
    return sums(promises.groupby("report").tail(NEW), "report")


def dispersion(promises: pd.DataFrame) -> float:
    """Return how many times the variance of counts below the stop is that of a Poisson distribution, at least 1."""
    some = promises[promises["expected_below"] > 0]
    squares = (some["found_below"] - some["expected_below"]) ** 2 / some["expected_below"].clip(lower=1.0)
    return max(float(squares.sum() / some["expected_below"].clip(upper=1.0).sum()), 1.0) if len(some) else 1.0
