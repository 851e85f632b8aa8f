"""Compute measures for many rankings at once, from runs and judgements or from outcomes."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from os import PathLike
from typing import cast

import numpy as np

from presort.metrics.arguments import array_of, is_number, short_repr
from presort.metrics.batch import Batch, Floats
from presort.metrics.joined_run import check_collection_size, read_and_join
from presort.metrics.lazy import pd
from presort.metrics.measure import Measure
from presort.metrics.outcome import Outcome, Outcomes, outcome_index, outcome_list
from presort.metrics.plugins import hint_at_installed_measure
from presort.metrics.registry import MEASURES
from presort.metrics.run_scores import SAME, AnyMeasure, score_topics
from presort.metrics.trec import QrelsSource, Run, RunSource

AT_ONCE = 2000  # outcomes per batch, so that the arrays fit into the processor's cache
WHY = "; call compute(scores, relevant) for measures of the ranker's scores"

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
    """Compute measures for many rankings: ``score(run, qrels, measures)`` or ``score(outcomes, measures)``.

    Parameters
    ----------
    outcomes : sequence, dict or Series of Outcome, length n_outcomes; or run, see `read_run`
        Outcomes, one per ranking; they may differ in r and n. Or a run, which also requires `qrels`.
    qrels : see `read_qrels`
        Relevance judgements for the run. If the first argument contains outcomes, the measures may be passed here.
    measures : iterable of str, Measure or callable, optional
        Measures to compute: names from `MEASURES` or "AP", `Measure` objects, or functions. A function takes an
        `Outcome` and returns a number, NaN if undefined; its name becomes the column name. For a run, names of
        ir-measures with any cut-off and parameters are also allowed, such as "nDCG@10", "P(rel=2)@10", "RBP(p=0.8)" or
        "ERR@20". Defaults to all `MEASURES` that need only the outcome, and for a run to the columns of
        ``presort score``.
    relevance_level : int
        Lowest judgement of a relevant paper, at least 1. Only for a run. All measures are NaN for a topic without a
        relevant paper. Otherwise, the level does not affect graded measures such as nDCG and ERR, nor measures with
        their own level such as P(rel=2)@10.
    collection_size : int, optional
        Number of papers in the collection of each topic. Only for a run. If given, relevant papers missing from the
        run are ranked last. By default, measures that need the positions of missing papers are NaN.

    Returns
    -------
    DataFrame, shape (n_topics, n_measures) or (n_outcomes, n_measures)
        Values of the measures, one float64 column per measure, NaN if undefined. For a run, the rows are the topics in
        both run and qrels, sorted by name; all measures of a topic without relevant papers are NaN. For a dict or
        Series of outcomes, the rows have its keys or index. For other outcomes they are numbered from 0.

    Raises
    ------
    OSError
        If a file can't be read.
    ValueError
        If a measure is unknown, unnamed, repeated or not computable, or returns an infinite or non-numeric value. Also
        if run, qrels or the options are invalid, see `outcomes`. Exceptions raised by a measure are not caught.
    ImportError
        If a measure needs the package ir-measures and it is not installed.

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
            raise ValueError("qrels are required for a run: score(run, qrels, measures)")
        joined = read_and_join(cast(RunSource, outcomes), cast(QrelsSource, qrels), relevance_level)
        check_collection_size(joined, collection_size)
        chosen = None if measures is None else list_measures(measures)
        return score_topics(joined, chosen, outcome_values, collection_size=collection_size)
    if qrels is not None and measures is not None:
        raise ValueError(f"outcomes must be a run if qrels are given, got {short_repr(outcomes)}")
    if relevance_level != 1 or collection_size is not None:
        raise ValueError("relevance_level and collection_size are only allowed for a run, not for outcomes")
    return score_outcomes(cast(Outcomes, outcomes), cast(Measures | None, qrels if measures is None else measures))


def score_outcomes(outcomes: Outcomes, measures: Measures | None = None) -> pd.DataFrame:
    """Compute measures for many outcomes, and return them as a table. See `score`."""
    index, outcomes = outcome_index(outcomes), outcome_list(outcomes)
    values = outcome_values(outcomes, measures)
    return pd.DataFrame(values, index=pd.RangeIndex(len(outcomes)) if index is None else index, dtype=float)


def outcome_values(outcomes: Sequence[Outcome], measures: Measures | None = None) -> dict[str, Floats]:
    """Return the values of each measure, in the order of the outcomes. See `score`."""
    chosen = _columns_by_name(measures)
    values = np.empty((len(chosen), len(outcomes)))
    for start in range(0, len(outcomes), AT_ONCE):
        some = outcomes[start : start + AT_ONCE]
        batch = Batch.of(some)
        for row, (name, column) in zip(values, chosen.items(), strict=True):
            row[start : start + AT_ONCE] = validate_values(name, column(batch, some), len(some))
    return dict(zip(chosen, values, strict=True))


def _is_run(outcomes: object) -> bool:
    if isinstance(outcomes, Mapping) and not isinstance(outcomes, Run):
        return bool(outcomes) and all(isinstance(papers, Mapping) for papers in outcomes.values())
    return isinstance(outcomes, str | PathLike | pd.DataFrame | Run)


def list_measures(measures: Measures) -> list[AnyMeasure]:
    """Return measures as a list. Raises ValueError for a single name or another value that is not iterable."""
    if isinstance(measures, str) or not isinstance(measures, Iterable):
        raise ValueError(f"measures must be a list of names, measures and functions, got {short_repr(measures)}")
    return list(measures)


def validate_value(name: str, value: object) -> float:
    """Return a measure's value as a float. Raises ValueError if the value is infinite or not numeric.

    Error messages contain the measure's `name`.
    """
    if not (isinstance(value, bool | np.bool_) or is_number(value)) or np.isinf(float(value)):
        raise ValueError(f"{name} must return a finite number, or NaN if undefined; it returned {short_repr(value)}")
    return float(value)


def validate_values(name: str, values: object, n: int) -> Floats:
    """Return a measure's values for n outcomes as floats.

    Raises ValueError unless there are n values, all finite or NaN. Error messages contain the measure's `name`.
    """
    rule = f"{n:,} finite numbers for {n:,} outcomes, or NaN if undefined"
    array = array_of(f"the result of {name}", rule, values)
    if array.shape != (n,) or array.dtype.kind not in "biuf" or np.isinf(array).any():
        raise ValueError(f"{name} must return {rule}; it returned {short_repr(values)} with shape {array.shape}")
    return array.astype(np.float64, copy=False)


def _columns_by_name(measures: Iterable[AnyMeasure] | None) -> dict[str, Column]:
    if measures is None:
        measures = [measure for measure in MEASURES.values() if measure.needs == "outcome"]
    chosen: dict[str, Column] = {}
    listed = list_measures(measures)
    for given, (name, column) in zip(listed, map(_column_of, _resolve_names(listed)), strict=True):
        name = given if isinstance(given, str) else name
        if name in chosen:
            raise ValueError(f"measures must have different names, got {name!r} twice")
        chosen[name] = column
    return chosen


def _resolve_names(measures: Sequence[AnyMeasure]) -> Sequence[Measure | Callable[[Outcome], float]]:
    """Replace names of measures with their registry entries."""
    known = {name: measure for name, measure in MEASURES.items() if measure.needs == "outcome"}
    known |= {other: MEASURES[name] for name, other in SAME.items()}
    if unknown := [each for each in measures if isinstance(each, str) and each not in known]:
        name = unknown[0]
        no_run = "; measures from ir-measures need a run: score(run, qrels, measures)"
        why = WHY if name in MEASURES else hint_at_installed_measure(name) or no_run
        raise ValueError(f"measures must be one of {', '.join(known)}, got {', '.join(map(repr, unknown))}{why}")
    return [known[each] if isinstance(each, str) else each for each in measures]


def _column_of(measure: Measure | Callable[[Outcome], float]) -> tuple[str, Column]:
    """Return the measure's name and a function that evaluates it on a batch of outcomes."""
    if isinstance(measure, Measure):
        if measure.needs == "scores":
            raise ValueError(f"measures must be computable from the outcome alone, got {measure.name!r}{WHY}")
        if compute_each := measure.compute_each:
            return measure.name, lambda batch, _: batch.once(compute_each)
        return measure.name, _each(measure.name, measure.compute)
    if not callable(measure):
        raise ValueError(f"measures must be names, Measure objects or functions, got {short_repr(measure)}")
    name = getattr(measure, "__name__", "")
    if not name.isidentifier():  # a lambda's name is "<lambda>"
        raise ValueError(
            f"measures must have a name: use a function defined with def, or a Measure; got {short_repr(measure)}"
        )
    return name, _each(name, measure)


def _each(name: str, compute: Callable[[Outcome], float]) -> Column:
    return lambda _, outcomes: np.array([validate_value(name, compute(each)) for each in outcomes], dtype=float)
