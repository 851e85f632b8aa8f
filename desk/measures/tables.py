"""Quality of the measures: which constraints they satisfy, and how strict and robust they are on the service's data."""

from collections.abc import Callable, Collection, Sequence
from functools import cache

import ir_measures
import numpy as np
import pandas as pd
from ir_measures import AP, RR, P, nDCG

from presort import metrics
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED, keep_comparable
from presort.metrics import (
    Finding,
    Measure,
    Outcome,
    check_constraints,
    f_measure,
    ranking_reliability_sensitivity,
    robustness,
    robustness_topics,
    strictness_of_each,
    strictness_topics,
)
from presort.metrics.batch import Batch, Floats
from presort.metrics.loss import losses
from presort.metrics.measure import BEYOND

STANDARD = {MEASURES["average_precision"].label: AP, "nDCG": nDCG, "Precision of the first 10": P @ 10, "RR": RR}

Flags = tuple[int, ...]
Scorer = Callable[[Flags, int], float]


@cache
def constraints() -> dict[str, dict[str, Finding]]:
    """Test whether measures satisfy the constraints of Amigó et al.

    Tests every measure that needs only an outcome, and some well-known measures for comparison. Returns the findings
    by measure label and constraint name. The result is cached, because the tests take about a second.
    """
    known = {label: _ir_measures_scorer(measure) for label, measure in STANDARD.items()}
    known["F of Reliability and Sensitivity, whole list"] = _f_of_all
    ours = {MEASURES[name].label: _list_scorer(MEASURES[name]) for name in MEASURED if name in metrics.MEASURES}
    brought = {
        _distinct_label(known, MEASURES[name]): _list_scorer(MEASURES[name])
        for name in MEASURED
        if name not in metrics.MEASURES
    }
    scorers: dict[str, Scorer] = ours | known | brought
    return {label: check_constraints(scorer, "ranking") for label, scorer in scorers.items()}


def _distinct_label(known: Collection[str], measure: Measure) -> str:
    return f"{measure.label} ({measure.name})" if measure.label in known else measure.label


def _list_scorer(measure: Measure) -> Scorer:
    """Convert a measure of a whole issue into a score of the returned papers. Higher scores are better.

    Relevant papers that were not returned are placed directly below the list, as if the collection contained no other
    papers. For a measure with `Measure.ignores_tail`, they are placed at position `BEYOND` and after it, so that they
    count as not found. For a measure with a `Measure.loss`, the result is the negated loss, because values close to 1
    would be rounded to 1.
    """

    def value(flags: Flags, n_relevant: int) -> float:
        found = [position for position, flag in enumerate(flags, start=1) if flag]
        n_missing = n_relevant - len(found)
        if measure.ignores_tail and measure.compute_each:
            positions = np.array([*found, *range(BEYOND, BEYOND + n_missing)])
            return float(measure.compute_each(Batch(positions, np.array([n_relevant]), np.array([len(flags)])))[0])
        n = len(flags) + n_missing
        outcome = Outcome([*found, *range(len(flags) + 1, n + 1)], n)
        if measure.loss:
            return -float(losses(measure.name, [outcome])[0])
        return measure.compute(outcome) if measure.higher_is_better else -measure.compute(outcome)

    return value


def _ir_measures_scorer(measure: ir_measures.measures.Measure) -> Scorer:
    def value(flags: Flags, n_relevant: int) -> float:
        judged = {str(place): flag for place, flag in enumerate(flags)}
        missing = {f"missing {number}": 1 for number in range(n_relevant - sum(flags))}
        run = {str(place): -float(place) for place in range(len(flags))}
        return float(ir_measures.calc_aggregate([measure], {"issue": judged | missing}, {"issue": run})[measure])

    return value


def _f_of_all(flags: Flags, n_relevant: int) -> float:
    found = [position for position, flag in enumerate(flags, start=1) if flag]
    n = len(flags) + n_relevant - len(found)
    outcome = Outcome([*found, *range(len(flags) + 1, n + 1)], n)
    figures = ranking_reliability_sensitivity(outcome, k=len(flags))
    return f_measure(figures.priority_reliability, figures.priority_sensitivity)


def scores_by_measure(table: pd.DataFrame, rankers: Sequence[str]) -> dict[str, Floats]:
    """Arrange the rankers' scores on the report issues that all of them ranked.

    Parameters
    ----------
    table : DataFrame
        Result of `presort.desk.scores.table.scores`.
    rankers : sequence of str
        Names of at least one ranker.

    Returns
    -------
    dict of str to ndarray of float, shape (n_report_issues, n_rankers)
        Scores by measure, with the rankers sorted by name. Higher is better. For measures that follow the natural order
        strictly, the scores are the levels of the outcomes in natural order, because rounding would cause ties between
        the values.
    """
    shared = keep_comparable(table[table["ranker"].isin(rankers)], rankers).sort_values(["report", "issue", "ranker"])
    reversed_positions = [outcome.positions[::-1].astype(">i8").tobytes() for outcome in shared["outcome"]]
    levels = -pd.factorize(np.array(reversed_positions, dtype=object), sort=True)[0].astype(float)
    layout = (-1, len(rankers))
    laid_out = {}
    for name in MEASURED:
        values = shared[name].to_numpy(dtype=float)
        upwards = values if MEASURES[name].higher_is_better else -values
        if MEASURES[name].natural_order == "strict":  # a higher level is better, whatever the measure's direction
            upwards = np.where(np.isnan(values), np.nan, levels)
        laid_out[name] = upwards.reshape(layout)
    return laid_out


def meta_evaluation(scores: dict[str, Floats]) -> pd.DataFrame:
    """Compute the strictness and robustness of every measure.

    `scores` is a result of `scores_by_measure` for at least two rankers.

    Columns: ``measure``, the name of the measure; ``strictness`` and ``robustness``, which are NaN if there are too few
    report issues; and ``n_strict`` and ``n_robust``, the numbers of report issues on which they are based.
    """
    n_strict = int(strictness_topics(scores, next(iter(scores))).sum())  # this number is the same for every measure
    rows = [
        (name, strict, n_strict, robustness(scores, name), int(robustness_topics(scores, name).sum()))
        for name, strict in strictness_of_each(scores).items()
    ]
    return pd.DataFrame(rows, columns=["measure", "strictness", "n_strict", "robustness", "n_robust"])
