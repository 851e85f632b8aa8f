"""Curves that show scores over time, or by the share or number of papers read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from presort.metrics import Outcome

POINTS = 201  # maximum number of points in a recall curve: more would not be visible on a screen
SMOOTHED = 4  # number of issues in a running mean: about a month in a weekly service
# Shares of a list in steps of 0.5 %. They are computed by division, not multiplication, so that they equal position /
# n_papers in floating point.
READ = np.arange(201) / 200


def last_by_issue(table: pd.DataFrame) -> pd.DataFrame:
    """Average the relative last position by ranker and issue.

    Parameters
    ----------
    table : DataFrame
        Result of `presort.desk.scores.table.keep_comparable`.

    Returns
    -------
    DataFrame
        Columns ``ranker``, ``issue``, ``report_issues`` (their number), ``last`` (the mean over them) and ``running``
        (mean of ``last`` over this issue and the three before; NaN for the first three).
    """
    groups = table.groupby(["ranker", "issue"])["relative_last_position"]
    means = pd.DataFrame({"report_issues": groups.size(), "last": groups.mean()})
    running = means["last"].groupby("ranker").rolling(SMOOTHED).mean().droplevel(0)
    return means.assign(running=running).reset_index()


def reading_curves(table: pd.DataFrame) -> pd.DataFrame:
    """For each share of the list read, return the share of report issues with all relevant papers found.

    Parameters
    ----------
    table : DataFrame
        Result of `presort.desk.scores.table.keep_comparable`.

    Returns
    -------
    DataFrame
        Columns ``ranker``, ``read`` (each value of `READ`) and ``found``: the share of the ranker's report issues in
        which the last relevant paper is within that share of the list. Higher is better.
    """
    curves = []
    for ranker, last in table.groupby("ranker")["relative_last_position"]:
        found = np.searchsorted(np.sort(last.to_numpy()), READ, side="right") / len(last)
        curves.append(pd.DataFrame({"ranker": ranker, "read": READ, "found": found}))
    return pd.concat(curves, ignore_index=True)


def recall_curves(outcomes: Mapping[str, Sequence[Outcome]]) -> pd.DataFrame:
    """Average the recall of rankers over report issues, by the number of papers read.

    Parameters
    ----------
    outcomes : mapping of str to sequence of Outcome
        Outcomes of each ranker. There must be at least one per ranker, each with at least one relevant paper.

    Returns
    -------
    DataFrame
        Columns ``ranker``; ``papers``, the number of papers read from the top, at most `POINTS` values from 0 to the
        deepest relevant paper of any ranker; and ``recall``, the mean share of a list's relevant papers among these
        papers, from 0 to 1.

    Examples
    --------
    >>> recall_curves({"a": [Outcome([1, 2], 9), Outcome([2], 5)]})["recall"].to_list()
    [0.0, 0.25, 1.0]
    """
    deepest = max(int(one.last) for of_ranker in outcomes.values() for one in of_ranker)
    papers = np.unique(np.linspace(0, deepest, POINTS).round().astype(int))
    curves = []
    for ranker, of_ranker in outcomes.items():
        positions = np.concatenate([one.positions for one in of_ranker])
        weights = np.concatenate([np.full(one.r, 1 / one.r) for one in of_ranker])
        found = np.cumsum(np.bincount(positions, weights, deepest + 1)) / len(of_ranker)
        curves.append(pd.DataFrame({"ranker": ranker, "papers": papers, "recall": found[papers].clip(max=1)}))
    return pd.concat(curves, ignore_index=True)
