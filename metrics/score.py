"""Measures of many rankings at once."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import cast

import numpy as np
import pandas as pd

from presort.metrics.arguments import array_of, is_number, shown
from presort.metrics.batch import Batch, Floats
from presort.metrics.joined import check_collection_size, join
from presort.metrics.measure import Measure
from presort.metrics.outcome import Outcome, Outcomes, outcome_index, outcome_list
from presort.metrics.registry import MEASURES
from presort.metrics.run_scores import SAME, AnyMeasure, score_topics
from presort.metrics.trec import QrelsSource, Run, RunSource

AT_ONCE = 2000  # outcomes; their arrays then stay in the processor's cache
WHY = "; for those of the ranker's scores call compute(scores, relevant)"

Measures = Iterable[AnyMeasure]

Column = Callable[[Batch, Sequence[Outcome]], Floats]


def score(
    outcomes: Outcomes | RunSource,
    qrels: QrelsSource | Measures | None = None,
    measures: Measures | None = None,
    *,
    relevance_level: int = 1,
    collection_size: int | None = None,
) -> pd.DataFrame:
    """Measure many rankings at once: ``score(run, qrels, measures)`` or ``score(outcomes, measures)``.

    Parameters
    ----------
    outcomes : sequence, dict or Series of Outcome, length n_outcomes; or run, as for `read_run`
        One outcome for each ranking, which may differ in r and n. Or a run, together with qrels.
    qrels : as for `read_qrels`
        Judgements of the run. Outcomes have none: then the measures may come in this place.
    measures : iterable of str, Measure or callable, optional
        Names from `MEASURES`, or "AP"; other measures; or functions from an Outcome to a number, NaN where undefined,
        which name the columns. For a run also names of ir-measures with any cut-off and parameters, such as "nDCG@10",
        "P(rel=2)@10", "RBP(p=0.8)" or "ERR@20". Defaults to all of `MEASURES` that need only the outcome; for a run, to
        the columns of ``presort score``.
    relevance_level : int
        Judgement from which a paper of a run is relevant, at least 1. Applies to all measures but graded ones such as
        nDCG and ERR, and those that name their own, such as P(rel=2)@10.
    collection_size : int, optional
        Number of papers that there are for each topic of a run. Relevant papers that the run never returned then come
        last. By default, measures that need the position of such a paper are NaN.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures) or (n_outcomes, n_measures)
        A float64 column a measure; NaN where the measure is undefined. Rows of a run are the topics that both run and
        qrels have, by name; where nothing is relevant, all measures are NaN. Rows of a dict or Series of outcomes have
        its keys or index, others are numbered from 0.

    Raises
    ------
    OSError
        If a file can't be read.
    ValueError
        If measures are no list of these, one is not known or can't be computed, a function has no name, two have the
        same, or one returns what is no number, or infinite; or if run, qrels or the options are wrong, as for
        `outcomes`. What a measure raises itself is not caught.
    ImportError
        If a measure needs the package ir-measures, and it is not installed.

    Examples
    --------
    >>> run = {"401": {"a": 3.0, "b": 2.0, "c": 1.0}, "402": {"a": 2.0, "b": 1.0}}
    >>> qrels = {"401": {"a": 1, "c": 2}, "402": {"a": 0, "b": 1}}
    >>> score(run, qrels, ["AP", "P(rel=2)@1", "nosel"]).round(4).rename_axis(None)
             AP  P(rel=2)@1  nosel
    401  0.8333         0.0   -0.5
    402  0.5000         0.0   -1.0

    >>> score([Outcome([1, 2], n=5), Outcome([1, 4], n=5)], ["search_length", "nosel"])
       search_length  nosel
    0            0.0    1.0
    1            2.0    0.0

    >>> def first_position(outcome):
    ...     return outcome.positions[0] if outcome.r else float("nan")
    >>> score({"spring": Outcome([2, 3], n=5), "autumn": Outcome([], n=5)}, ["nosel", first_position])
            nosel  first_position
    spring    0.5             2.0
    autumn    NaN             NaN
    """
    if _is_run(outcomes):
        if qrels is None:
            raise ValueError("qrels must be given with a run: score(run, qrels, measures)")
        joined = join(cast(RunSource, outcomes), cast(QrelsSource, qrels), relevance_level)
        check_collection_size(joined, collection_size)
        chosen = None if measures is None else _listed(measures)
        return score_topics(joined, chosen, score_outcomes, collection_size=collection_size)
    if qrels is not None and measures is not None:
        raise ValueError(f"outcomes must be a run where there are qrels, got {shown(outcomes)}")
    if relevance_level != 1 or collection_size is not None:
        raise ValueError("relevance_level and collection_size must be left out for outcomes: they are those of a run")
    return score_outcomes(cast(Outcomes, outcomes), cast(Measures | None, qrels if measures is None else measures))


def score_outcomes(outcomes: Outcomes, measures: Measures | None = None) -> pd.DataFrame:
    """Measure many outcomes at once, as `score` does."""
    index = outcome_index(outcomes)
    chosen, outcomes = _chosen(measures), outcome_list(outcomes)
    values = np.empty((len(chosen), len(outcomes)))
    for start in range(0, len(outcomes), AT_ONCE):
        some = outcomes[start : start + AT_ONCE]
        batch = Batch.of(some)
        for row, (name, column) in zip(values, chosen.items(), strict=True):
            row[start : start + AT_ONCE] = checked_values(name, column(batch, some), len(some))
    index = pd.RangeIndex(len(outcomes)) if index is None else index
    return pd.DataFrame(dict(zip(chosen, values, strict=True)), index=index, dtype=float)


def _is_run(outcomes: object) -> bool:
    if isinstance(outcomes, Mapping) and not isinstance(outcomes, Run):
        return bool(outcomes) and all(isinstance(papers, Mapping) for papers in outcomes.values())
    return isinstance(outcomes, str | PathLike | pd.DataFrame | Run)


def _listed(measures: Measures) -> list[AnyMeasure]:
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise ValueError(f"measures must be a list of names, measures and functions, got {shown(measures)}")
    return list(measures)


def checked_value(name: str, value: object) -> float:
    """Return the value of the named measure as a float. Raises ValueError if it is infinite or no number."""
    if not (isinstance(value, bool | np.bool_) or is_number(value)) or np.isinf(float(value)):
        raise ValueError(f"{name} must return a finite number, or NaN where undefined; it returned {shown(value)}")
    return float(value)


def checked_values(name: str, values: object, n: int) -> Floats:
    """Return the values of the named measure for n outcomes as floats. Raises ValueError if they aren't n numbers."""
    rule = f"{n:,} finite numbers for {n:,} outcomes, or NaN where undefined"
    array = array_of(f"what {name} returns", rule, values)
    if array.shape != (n,) or array.dtype.kind not in "biuf" or np.isinf(array).any():
        raise ValueError(f"{name} must return {rule}; it returned {shown(values)}, of shape {array.shape}")
    return array.astype(np.float64, copy=False)


def _chosen(measures: Iterable[AnyMeasure] | None) -> dict[str, Column]:
    if measures is None:
        measures = [measure for measure in MEASURES.values() if measure.needs == "outcome"]
    chosen: dict[str, Column] = {}
    listed = _listed(measures)
    for given, (name, column) in zip(listed, map(_column_of, _known(listed)), strict=True):
        name = given if isinstance(given, str) else name
        if name in chosen:
            raise ValueError(f"measures must have a name each, got {name!r} twice")
        chosen[name] = column
    return chosen


def _known(measures: Sequence[AnyMeasure]) -> Sequence[Measure | Callable[[Outcome], float]]:
    """Look up a name."""
    known = {name: measure for name, measure in MEASURES.items() if measure.needs == "outcome"}
    known |= {other: MEASURES[name] for name, other in SAME.items()}
    if unknown := [each for each in measures if isinstance(each, str) and each not in known]:
        why = WHY if unknown[0] in MEASURES else "; measures of ir-measures need a run: score(run, qrels, measures)"
        raise ValueError(f"measures must be one of {', '.join(known)}, got {', '.join(map(repr, unknown))}{why}")
    return [known[each] if isinstance(each, str) else each for each in measures]


def _column_of(measure: Measure | Callable[[Outcome], float]) -> tuple[str, Column]:
    """Return a name, and the function that measures the outcomes of a batch."""
    if isinstance(measure, Measure):
        if measure.needs == "scores":
            raise ValueError(f"measures must need the outcome only, got {measure.name!r}{WHY}")
        if compute_each := measure.compute_each:
            return measure.name, lambda batch, _: batch.once(compute_each)
        return measure.name, _each(measure.name, measure.compute)
    if not callable(measure):
        raise ValueError(f"measures must be names, Measure objects or functions, got {shown(measure)}")
    name = getattr(measure, "__name__", "")
    if not name.isidentifier():  # so is that of no lambda
        raise ValueError(f"measures must have a name: write a function by def, or a Measure; got {shown(measure)}")
    return name, _each(name, measure)


def _each(name: str, compute: Callable[[Outcome], float]) -> Column:
    return lambda _, outcomes: np.array([checked_value(name, compute(each)) for each in outcomes], dtype=float)
