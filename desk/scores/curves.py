"""Scores as curves: issue by issue, and over how much of a list was read."""

import numpy as np
import pandas as pd

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
    """Return in how many report issues everything relevant was found after reading so much of the list.

    Parameters
    ----------
    table : DataFrame
        As `presort.desk.scores.table.comparable` gives it.

    Returns
    -------
    DataFrame
        Columns ``ranker``, ``read`` (each of `READ`) and ``found``, the share of its report issues whose last relevant
        paper stood there or before; higher is better.
    """
    curves = []
    for ranker, last in table.groupby("ranker")["relative_last_position"]:
        found = np.searchsorted(np.sort(last.to_numpy()), READ, side="right") / len(last)
        curves.append(pd.DataFrame({"ranker": ranker, "read": READ, "found": found}))
    return pd.concat(curves, ignore_index=True)
