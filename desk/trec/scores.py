"""Every measure of a run that was joined with its judgements, including those of installed packages."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd

from presort.desk.scores.registry import MEASURES, score
from presort.metrics import Outcome
from presort.metrics.joined import Joined
from presort.metrics.measure import Measure
from presort.metrics.run_scores import SAME, STANDARD, check_names, score_topics

OURS = {name: measure for name, measure in MEASURES.items() if name not in SAME}
LOWER_IS_BETTER = [name for name, measure in OURS.items() if not measure.higher_is_better]
EXACT = [name for name, measure in OURS.items() if measure.loss]  # of which good orders may all round to 1


def check_measures(names: Sequence[str]) -> None:
    """Refuse a name that is neither a measure of ours, nor of an installed package, nor of ir-measures.

    Raises
    ------
    ValueError
        With the names that are known.
    """
    check_names(name for name in names if name not in MEASURES)


def measure_topics(
    joined: Joined, names: Sequence[str] | None = None, *, collection_size: int | None = None
) -> pd.DataFrame:
    """Measure every topic by the standard measures, from ir-measures, and by ours.

    Parameters
    ----------
    joined : Joined
    names : sequence of str, optional
        Measures that pass `check_measures`. Defaults to `STANDARD` and `OURS`.
    collection_size : int, optional
        As for `metrics.run_scores.score_topics`.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures)
        A row a topic, by name, and a column for each measure; all NaN where nothing is relevant.
    """
    chosen = [*STANDARD, *OURS] if names is None else names
    measures = [MEASURES.get(name, name) for name in chosen]
    return score_topics(joined, measures, _score, collection_size=collection_size)


def _score(outcomes: Sequence[Outcome], measures: Sequence[Measure]) -> pd.DataFrame:
    return score(outcomes, [measure.name for measure in measures])


def outcomes_of(joined: Joined, *, collection_size: int | None = None) -> pd.Series[Any]:
    """Return the outcome of every topic.

    Parameters
    ----------
    joined : Joined
    collection_size : int, optional
        As for `measure_topics`.

    Returns
    -------
    Series of Outcome, by topic
        None where a relevant paper is missing and the size of the collection is not known.
    """
    found = [
        None if topic.n_missing and collection_size is None else topic.outcome(collection_size)
        for topic in joined.topics
    ]
    names = pd.Index([topic.name for topic in joined.topics], dtype=str, name="topic")
    return pd.Series(found, index=names, dtype=object)


def turned_upwards(table: pd.DataFrame) -> pd.DataFrame:
    """Turn the sign of measures of which lower is better, so that higher is better in every column."""
    return table * np.array([-1 if name in LOWER_IS_BETTER else 1 for name in table.columns]) + 0.0  # makes 0 of -0
