"""Scores as curves: by issue, and by the papers read."""

from collections.abc import Mapping, Sequence

import numpy as np
import pandas as pd

from presort.metrics import Outcome

POINTS = 201  # of a recall curve: no screen shows more
SMOOTHED = 4  # issues of a running mean: about a month
READ = np.arange(201) / 200  # shares of a list, every half percent; divided, to equal the same share of papers


def last_by_issue(table: pd.DataFrame) -> pd.DataFrame:
    """Average the relative last position of each ranker issue by issue.

    Parameters
    ----------
    table : DataFrame
        As `presort.desk.scores.table.comparable` gives it.

    Returns
    -------
    DataFrame
        By ``ranker`` and ``issue``: ``report_issues``, their mean ``last``, and ``running``, the mean of that and the
        three issues before it, NaN for the first three.
    """
    groups = table.groupby(["ranker", "issue"])["relative_last_position"]
    means = pd.DataFrame({"report_issues": groups.size(), "last": groups.mean()})
    running = means["last"].groupby("ranker").rolling(SMOOTHED).mean().droplevel(0)
    return means.assign(running=running).reset_index()


def reading_curves(table: pd.DataFrame) -> pd.DataFrame:
    """Return the share of report issues in which all relevant papers are found, by the share of the list read.

    Parameters
    ----------
    table : DataFrame
        As `presort.desk.scores.table.comparable` gives it.

    Returns
    -------
    DataFrame
        Columns ``ranker``, ``read`` (each of `READ`) and ``found``, the share of its report issues whose last relevant
        paper is there or before; higher is better.
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
        Of each ranker, at least one, each with a relevant paper.

    Returns
    -------
    DataFrame
        ``ranker``; ``papers``, read from the top, from 0 to the deepest relevant paper of any ranker, at most `POINTS`
        values; ``recall``, the mean share of a list's relevant papers found there, 0 to 1.

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
