"""Compare the relevant papers expected and found below stop points, and estimate the share missed from spot checks.

Relevant papers below a stop point are found only if the editor reads on or a spot check is drawn. Few editors read on,
and the lists in which they do are not a random sample. A spot check is a random sample, so its papers are weighted by
the inverse of their inclusion probability.
"""

from collections.abc import Iterable, Sequence
from typing import NamedTuple

import numpy as np
import pandas as pd
from scipy.stats import chi2, false_discovery_control, poisson

from presort.data.learning.official import official_rows
from presort.data.records import AuditedRanking, Condition, SpotCheckedList
from presort.desk.scores.shifts import LEVEL, Coverage, windows
from presort.metrics.batch import Floats

SUMMED = ["n_read_below", "expected_below", "found_below", "found"]
COLUMNS = ["ranking_id", "report", "issue", "ranker", "condition", "was_shown", *SUMMED]
FEWEST = 3.0  # minimum number of relevant papers expected below a report's stop points: with fewer, it isn't tested
CONFIDENCE = 0.95  # confidence level of the interval for the share missed


class Underestimate(NamedTuple):
    """Report whose newest issues have significantly more relevant papers below the stop points than expected.

    `chance` is the p-value, corrected for the number of reports.
    """

    report: str
    n_lists: int
    expected: float
    found: int
    chance: float


class MissedShare(NamedTuple):
    """Estimated share of relevant papers that are below the stop points.

    Attributes
    ----------
    share, low, high : float
        Estimate and the ends of its 95 % confidence interval, from 0 to 1. NaN if there are no lists. The estimate is
        also NaN if no relevant paper was found, neither above nor below the stop points.
    n_lists, n_checked, n_found : int
        Numbers of lists with a complete spot check, of papers in these checks, and of relevant papers among them.
    """

    share: float
    low: float
    high: float
    n_lists: int
    n_checked: int
    n_found: int


def table(audits: Iterable[AuditedRanking], replay: int | None) -> pd.DataFrame:
    """Select the stop audits of official rankings for which at least one paper below the stop point was read.

    Parameters
    ----------
    audits : iterable of AuditedRanking
        All audits.
    replay : int or None
        Replay whose rankings are selected. None selects the rankings for editors.

    Returns
    -------
    DataFrame
        One row per report, issue and ranker: ``ranking_id``; ``condition``, a `Condition`; ``was_shown``, True if the
        ranking was shown to the editor; and the fields of `StopAudit`.
    """
    rows = [
        (
            one.audit.ranking_id,
            one.report,
            pd.Timestamp(one.issue),
            one.ranker,
            one.condition,
            one.condition == Condition.SHOWN,
            *(getattr(one.audit, name) for name in SUMMED),
        )
        for one in audits
        if one.replay == replay
    ]
    found = pd.DataFrame(rows, columns=COLUMNS)
    keys = [found[name].to_numpy() for name in ("report", "issue", "ranker")]
    official = official_rows(keys, found["condition"].to_numpy(), found["ranking_id"].to_numpy())
    return found.iloc[official].query("n_read_below > 0").reset_index(drop=True)


def stop_points(audits: Iterable[AuditedRanking], rankings: pd.DataFrame) -> pd.DataFrame:
    """Average each ranker's stop points and its recall at these points, for a target recall of 95 %.

    Parameters
    ----------
    audits : iterable of AuditedRanking
        All audits.
    rankings : DataFrame
        ``ranking_id``, ``ranker`` and ``n_papers`` of lists that were read to the end.

    Returns
    -------
    DataFrame
        Columns ``ranker``; ``n_lists``, the number of audited lists with a relevant paper; ``papers``, the mean number
        of papers above the stop point; and ``recall``, the mean recall at the stop point, from 0 to 1. Rankers without
        any of these lists are left out.
    """
    columns = ["ranking_id", "n_read_below", "found_below", "found"]
    rows = ([getattr(one.audit, name) for name in columns] for one in audits)
    known = rankings.merge(pd.DataFrame(rows, columns=columns), on="ranking_id").query("found > 0")
    # The whole list was read, so the number of papers read below the stop point is the number of papers below it.
    points = known.assign(
        papers=known["n_papers"] - known["n_read_below"], recall=1 - known["found_below"] / known["found"]
    )
    groups = points.groupby("ranker")
    return groups[["papers", "recall"]].mean().assign(n_lists=groups.size()).reset_index()


def sums(audits: pd.DataFrame, by: "str | pd.Series[str]") -> pd.DataFrame:
    """Sum audits, grouped by a column or a series of keys. ``n_lists`` is the number of audits in each group."""
    grouped = audits.groupby(by)
    return grouped[SUMMED].sum().assign(n_lists=grouped.size())


def sums_by_month(audits: pd.DataFrame) -> pd.DataFrame:
    """Sum audits by month. The months have the form ``2026-11``."""
    return sums(audits, audits["issue"].dt.strftime("%Y-%m"))


def underestimates(audits: pd.DataFrame) -> list[Underestimate]:
    """Find reports with more relevant papers below the stop points than expected. Lowest p-value first.

    Only the newest 13 issues are tested.

    Returns
    -------
    list of Underestimate
        If all forecasts are right, the probability that any report is returned is at most `LEVEL`.

    Notes
    -----
    The forecast for a paper takes all relevant papers above it into account. An issue that merely has more relevant
    papers than usual is therefore no sign of an underestimate, and the variance of the counts is at most that of a
    Poisson distribution. P-values are corrected over all reports with at least `FEWEST` expected papers, by the method
    of Benjamini and Hochberg.

    References
    ----------
    Benjamini and Hochberg, Journal of the Royal Statistical Society B 57, 1995.
    """
    newest = newest_sums(audits).query("expected_below >= @FEWEST")
    if newest.empty:
        return []
    chances = false_discovery_control(poisson.sf(newest["found_below"] - 1, newest["expected_below"]))
    found = [
        Underestimate(
            str(report), int(row["n_lists"]), float(row["expected_below"]), int(row["found_below"]), float(chance)
        )
        for (report, row), chance in zip(newest.iterrows(), chances, strict=True)
        if chance <= LEVEL
    ]
    return sorted(found, key=lambda one: (one.chance, one.report))


def count_testable(audits: pd.DataFrame, reports: Sequence[str]) -> Coverage:
    """Count the reports that `underestimates` can test."""
    expected = newest_sums(audits)["expected_below"].reindex(list(reports))
    return Coverage(len(reports), int((expected >= FEWEST).sum()), 0, 0)


def newest_sums(audits: pd.DataFrame) -> pd.DataFrame:
    """Sum each report's audits over the newest `NEW` issues that have audits."""
    new, _ = windows(audits)
    return sums(audits[audits["issue"].isin(new)], "report")


def estimate_missed_share(lists: Sequence[SpotCheckedList]) -> MissedShare:
    r"""Estimate the share of relevant papers that are below the stop points, from spot-checked lists.

    Parameters
    ----------
    lists : sequence of SpotCheckedList
        Spot-checked lists, each with at least one checked paper.

    Returns
    -------
    MissedShare
        Estimate and an interval that contains the true share in at least 95 % of samples.

    Notes
    -----
    With weights :math:`w_i = N_i / n_i`, the number of relevant papers below the stop points is estimated by
    :math:`\sum_i w_i x_i` (Horvitz and Thompson), where :math:`x_i` relevant papers are among the :math:`n_i` drawn
    from :math:`N_i`. The interval is for a weighted sum of Poisson counts (Fay and Feuer). It is conservative if few or
    no papers were found.

    References
    ----------
    Horvitz and Thompson, Journal of the American Statistical Association 47, 1952.
    Fay and Feuer, Confidence intervals for directly standardized rates, Statistics in Medicine 16, 1997.

    Examples
    --------
    >>> from datetime import date
    >>> week = SpotCheckedList("lab", date(2026, 1, 5), "presort-2", 200, 4, 0, 10)
    >>> [round(share, 2) for share in estimate_missed_share([week] * 60 + [week._replace(n_found=1)])[:3]]
    [0.08, 0.0, 0.31]
    """
    weights = np.array([one.n_eligible / one.n_checked for one in lists], dtype=float)
    found = np.array([one.n_found for one in lists], dtype=float)
    above = sum(one.n_found_above for one in lists)
    below = float(weights @ found)
    low, high = _interval(weights, found)
    counts = len(lists), sum(one.n_checked for one in lists), int(found.sum())
    if not lists or not above + high:
        return MissedShare(np.nan, np.nan, np.nan, *counts)
    share = below / (above + below) if above + below else np.nan
    return MissedShare(share, low / (above + low) if low else 0.0, high / (above + high), *counts)


def _interval(weights: Floats, counts: Floats) -> tuple[float, float]:
    """Return Fay and Feuer's interval for a weighted sum of Poisson counts."""
    if not len(weights):
        return 0.0, 0.0
    total, variance, largest = weights @ counts, weights**2 @ counts, weights.max()
    tail = (1 - CONFIDENCE) / 2
    low = variance / (2 * total) * chi2.ppf(tail, 2 * total**2 / variance) if total else 0.0
    above, spread = total + largest, variance + largest**2
    return float(low), float(spread / (2 * above) * chi2.ppf(1 - tail, 2 * above**2 / spread))
