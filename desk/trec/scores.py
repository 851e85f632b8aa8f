"""Scores of a run by all measures, including those of installed packages."""

from __future__ import annotations

from collections.abc import Sequence

import pandas as pd

from presort.desk.scores.registry import MEASURES, score
from presort.metrics import Outcome
from presort.metrics.joined import Joined
from presort.metrics.measure import Measure
from presort.metrics.run_scores import SAME, STANDARD, check_names, score_topics

OURS = {name: measure for name, measure in MEASURES.items() if name not in SAME}
LOWER_IS_BETTER = [name for name, measure in OURS.items() if not measure.higher_is_better]
EXACT = [name for name, measure in OURS.items() if measure.loss]  # values of good orders may round to 1


def check_measures(names: Sequence[str]) -> None:
    """Check that all names are measures of Presort, of an installed package, or of ir-measures.

    Raises
    ------
    ValueError
        If a name is unknown. The message lists the known names.
    """
    check_names(names, MEASURES)


def measure_topics(
    joined: Joined, names: Sequence[str] | None = None, *, collection_size: int | None = None
) -> pd.DataFrame:
    """Score every topic by the standard measures of ir-measures and by ours.

    Parameters
    ----------
    joined : Joined
        Run joined with its judgements.
    names : sequence of str, optional
        Measures that pass `check_measures`. Defaults to `STANDARD` and `OURS`.
    collection_size : int, optional
        As for `metrics.run_scores.score_topics`.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures)
        One row per topic, sorted by name, and one column per measure. All NaN for topics without a relevant paper.
    """
    chosen = [*STANDARD, *OURS] if names is None else names
    measures = [MEASURES.get(name, name) for name in chosen]
    return score_topics(joined, measures, score_ours, collection_size=collection_size)


def score_ours(outcomes: Sequence[Outcome], measures: Sequence[Measure]) -> pd.DataFrame:
    """Score outcomes by measures of Presort and of installed packages."""
    return score(outcomes, [measure.name for measure in measures])
