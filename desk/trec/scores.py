"""Scores of a run by all measures, including measures from installed packages."""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence

import numpy as np

from presort.desk.scores.registry import MEASURES, measured_values
from presort.metrics import Outcome
from presort.metrics.batch import Floats
from presort.metrics.joined_run import JoinedRun
from presort.metrics.measure import Measure
from presort.metrics.run_scores import SAME, STANDARD, check_names, topic_values

OURS = {name: measure for name, measure in MEASURES.items() if name not in SAME}
LOWER_IS_BETTER = [name for name, measure in OURS.items() if not measure.higher_is_better]
EXACT = [name for name, measure in OURS.items() if measure.loss]  # values close to the best value may round to 1


def check_measures(names: Sequence[str]) -> None:
    """Check that all names are measures from Presort, an installed package, or ir-measures.

    Raises
    ------
    ValueError
        If a name is unknown. The message lists the known names.
    ImportError
        If a name is not in `MEASURES`, and ir-measures is not installed.
    """
    check_names(names, MEASURES)


def measure_topics(
    joined: JoinedRun, names: Sequence[str] | None = None, *, collection_size: int | None = None
) -> dict[str, Floats]:
    """Score every topic by measures from ir-measures, Presort and installed packages.

    Parameters
    ----------
    joined : JoinedRun
        Run joined with its judgements.
    names : sequence of str, optional
        Names of measures that pass `check_measures`. Defaults to `STANDARD` and `OURS`.
    collection_size : int, optional
        See `metrics.run_scores.topic_values`.

    Returns
    -------
    dict of str to ndarray of float64, shape (n_topics,)
        Scores by measure, in the order of the topics. NaN for topics without a relevant paper. Without
        `collection_size`, also NaN for measures that need the positions of relevant papers missing from the run.
    """
    chosen = [*STANDARD, *OURS] if names is None else names
    measures = [MEASURES.get(name, name) for name in chosen]
    return topic_values(joined, measures, score_ours, collection_size=collection_size)


def score_ours(outcomes: Sequence[Outcome], measures: Sequence[Measure]) -> dict[str, Floats]:
    """Score outcomes by Presort's own measures and those from installed packages."""
    return measured_values(outcomes, [measure.name for measure in measures])


def mean(scores: Floats) -> float:
    """Return the mean of the defined scores. NaN if no score is defined."""
    n = n_defined(scores)
    return float(np.nansum(scores)) / n if n else math.nan


def median(scores: Floats) -> float:
    """Return the median of the defined scores. NaN if no score is defined."""
    defined = scores[~np.isnan(scores)].tolist()
    return statistics.median(defined) if defined else math.nan  # np.median would import numpy.ma, which is slow


def n_defined(scores: Floats) -> int:
    """Return the number of topics for which a score is defined."""
    return int(np.count_nonzero(~np.isnan(scores)))
