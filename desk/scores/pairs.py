"""Comparison of rankers on the same report issues, in natural order and by each measure.

In the terms of the literature, a ranker is a *system* and a report issue is a *test case*.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from itertools import combinations

import numpy as np
import pandas as pd

from presort.desk.scores.exact_values import EXACT, Floats, Signs
from presort.desk.scores.natural_order import natural_signs
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import LEAST_LOSS, MEASURED, keep_comparable, n_by_source, values_to_plot
from presort.metrics import FCurve, Outcome, f_curve, uir_matrix, uir_table
from presort.metrics.batch import Batch
from presort.metrics.loss import losses

# Default pair of measures. One depends on the end of the list and the other on its top, so they can disagree.
PAIR = ("nosel", "average_precision")
PAIR_OF_F = ("reliability_at_30", "sensitivity_at_30")  # these values are never negative, so F is always defined


@dataclass(frozen=True)
class ExclusionCounts:
    """Numbers of report issues that can't be compared.

    Attributes
    ----------
    not_by_all : int
        Number of report issues that were not ranked by all rankers under the same conditions.
    nothing_relevant : int
        Number of report issues without a relevant paper.
    """

    not_by_all: int
    nothing_relevant: int


@dataclass(frozen=True, eq=False)
class PairedScores:
    """Outcomes and scores of several rankers on the same report issues (cases).

    Attributes
    ----------
    rankers : tuple of str
        Names of the rankers.
    cases : DataFrame
        One row per report issue, sorted by report and issue: ``report``, ``issue``, ``was_read_whole``, ``n_papers``
        and ``n_relevant`` (at least 1).
    outcomes : dict of str to list of Outcome
        Outcomes of each ranker, in the order of the cases.
    scores : dict of str to DataFrame, shape (n_cases, n_measures)
        Scores of each ranker. NaN where a measure is not defined.
    apart : dict of (str, str) to array of int8, shape (n_cases,)
        For each pair of rankers, in the order of `rankers`, a comparison by natural order: -1 if the first is better, 1
        if the second is, 0 if their outcomes are the same.
    places : DataFrame, shape (n_cases, n_rankers)
        Number of rankers that are better in natural order on a case. 0 is the best rank.
    left_out : ExclusionCounts
        Numbers of report issues that can't be compared.
    n_by_source : dict of str to int
        Number of comparable report issues by source, starting with the source of the cases. Empty if the table has no
        column ``source``.
    """

    rankers: tuple[str, ...]
    cases: pd.DataFrame
    outcomes: dict[str, list[Outcome]]
    scores: dict[str, pd.DataFrame]
    apart: dict[tuple[str, str], Signs]
    places: pd.DataFrame
    left_out: ExclusionCounts
    n_by_source: dict[str, int] = field(default_factory=dict)

    def signs(self, a: str, b: str) -> Signs:
        """Compare two rankers in natural order. For each case, -1 if a is better, 1 if b is, 0 if they are the same."""
        found = self.apart.get((a, b))
        return -self.apart[b, a] if found is None else found

    @cached_property  # computed on demand, because it is slow and few pages need it
    def distances(self) -> dict[str, pd.DataFrame]:
        """Each ranker's losses for the measures in `EXACT`, whose values near 1 may round to the same float.

        Each table has one row per case and one column per measure. The loss is 0 only for the best outcome, and NaN if
        the measure is not defined.
        """
        return {
            ranker: pd.DataFrame({name: losses(name, outcomes, least=LEAST_LOSS) for name in EXACT})
            for ranker, outcomes in self.outcomes.items()
        }


def pair_up(table: pd.DataFrame, rankers: Sequence[str]) -> PairedScores:
    """Align the rankings of several rankers by report issue.

    Parameters
    ----------
    table : DataFrame
        Result of `presort.desk.scores.table.comparison_scores`.
    rankers : sequence of str
        Names of at least two rankers.
    """
    theirs = table[table["ranker"].isin(rankers)]
    common = keep_comparable(theirs, rankers).sort_values(["report", "issue"])
    sides = {name: side.reset_index(drop=True) for name, side in common.groupby("ranker")}
    first = sides.get(rankers[0], common)
    outcomes = {name: sides[name]["outcome"].to_list() if sides else [] for name in rankers}
    apart = _compare_pairs(outcomes)
    n_cases = theirs.groupby(["report", "issue"]).ngroups
    n_blank = theirs[theirs["n_relevant"] == 0].groupby(["report", "issue"]).ngroups
    return PairedScores(
        rankers=tuple(rankers),
        cases=first[["report", "issue", "was_read_whole", "n_papers", "n_relevant"]],
        outcomes=outcomes,
        scores={name: sides.get(name, common)[list(MEASURED)] for name in rankers},
        apart=apart,
        places=_places(rankers, apart),
        left_out=ExclusionCounts(not_by_all=n_cases - n_blank - len(first), nothing_relevant=n_blank),
        n_by_source=_n_by_source(theirs, len(rankers)),
    )


def _n_by_source(table: pd.DataFrame, n_rankers: int) -> dict[str, int]:
    if "source" not in table:
        return {}
    counts = n_by_source(table[table["n_relevant"] > 0], n_rankers)
    return {str(source): int(n) for source, n in counts.items()}


def signed_scores(paired: PairedScores, measure: str, ranker: str) -> "pd.Series[float]":
    """Return one ranker's values of a measure, one per case, signed so that higher is better.

    For measures that follow the natural order strictly, the negated ranks in natural order are returned instead,
    because different outcomes near the best one can have the same floating-point value.
    """
    scores = paired.scores[ranker][measure]
    if MEASURES[measure].natural_order == "strict":
        return -paired.places[ranker].where(scores.notna())
    return scores if MEASURES[measure].higher_is_better else -scores


def improvements(paired: PairedScores, measures: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute the unanimous improvement ratios between rankers over the given measures.

    Returns
    -------
    table : DataFrame
        Result of `metrics.uir_table`, one row per ranker. ``mean_f`` is computed from the measures' values, not from
        `signed_scores`. It is NaN if a value is negative, or if lower is better for a measure. The rows are sorted by
        ``mean_f`` or, if it is NaN, by the mean ratio, with the best ranker first.
    ratios : DataFrame, shape (n_rankers, n_rankers)
        Result of `metrics.uir_matrix`.
    """
    by_ranker = {name: np.column_stack([signed_scores(paired, m, name) for m in measures]) for name in paired.rankers}
    table = uir_table(by_ranker).drop(columns="mean_f")
    plain = {name: _negate_lower_is_better(paired.scores[name][list(measures)]) for name in paired.rankers}
    table.insert(0, "mean_f", uir_table(plain)["mean_f"])
    ratios = uir_matrix(by_ranker)
    best_first = pd.DataFrame({"f": table["mean_f"], "ratio": ratios.mean(axis="columns")})
    order = best_first.sort_values(["f", "ratio"], ascending=False, kind="stable").index
    return table.loc[order], ratios


def follow_natural_order(measures: Sequence[str]) -> bool:
    """Return True if all measures follow the natural order, strictly or weakly.

    A measure that follows it weakly may give different outcomes the same value.
    """
    return all(MEASURES[name].natural_order in ("strict", "weak") for name in measures)


def pair_with_f(paired: PairedScores, measures: Sequence[str]) -> Sequence[str]:
    """Return the given measures if their F is defined, and otherwise Reliability and Sensitivity."""
    values = [_negate_lower_is_better(paired.scores[name][list(measures)]) for name in paired.rankers]
    return measures if all((each >= 0).all() for each in (value[~np.isnan(value)] for value in values)) else PAIR_OF_F


def f_curves(paired: PairedScores, measures: Sequence[str]) -> FCurve:
    """Return each ranker's mean F for each weight of the first of two measures: see `presort.metrics.f_curve`."""
    first, second = ([paired.scores[name][measure] for name in paired.rankers] for measure in measures)
    return f_curve(first, second)


def points(paired: PairedScores, a: str, b: str, measure: str) -> pd.DataFrame:
    """Return the values of a measure for two rankers on each case.

    Returns
    -------
    DataFrame
        One row per report issue: the columns of `PairedScores.cases`; ``a`` and ``b``, the values; ``drawn_a`` and
        ``drawn_b``, the values to plot (see `table.values_to_plot`); ``last_a`` and ``last_b``, the last relevant
        positions; and ``sign``: in natural order, -1 if a is better, 1 if b is, 0 if they are the same.
    """
    table = paired.cases.assign(sign=paired.signs(a, b))
    for side, name in {"a": a, "b": b}.items():
        outcomes = pd.Series(paired.outcomes[name], dtype=object)
        scores = paired.scores[name].assign(outcome=outcomes)
        table[side] = scores[measure]
        table[f"drawn_{side}"] = values_to_plot(measure, scores)
        table[f"last_{side}"] = scores["last_relevant_position"].astype(int)
    return table


def _compare_pairs(outcomes: Mapping[str, Sequence[Outcome]]) -> dict[tuple[str, str], Signs]:
    """Compare every pair of rankers by the natural order of their outcomes.

    All outcomes go into one batch, so each is converted only once.
    """
    batch = Batch.of([one for of_ranker in outcomes.values() for one in of_ranker])
    n_cases = len(batch.r) // len(outcomes)
    rows = {name: np.arange(n_cases) + number * n_cases for number, name in enumerate(outcomes)}
    return {(a, b): natural_signs(batch, rows[a], rows[b]) for a, b in combinations(outcomes, 2)}


def _places(rankers: Sequence[str], apart: Mapping[tuple[str, str], Signs]) -> pd.DataFrame:
    n_cases = len(next(iter(apart.values())))
    n_better = {name: np.zeros(n_cases, dtype=np.int64) for name in rankers}
    for (a, b), signs in apart.items():
        n_better[a] += signs > 0
        n_better[b] += signs < 0
    return pd.DataFrame(n_better)


def _negate_lower_is_better(scores: pd.DataFrame) -> Floats:
    """Negate the values of measures for which lower is better, so that their F is undefined."""
    signs = [1 if MEASURES[str(name)].higher_is_better else -1 for name in scores.columns]
    return scores.to_numpy() * signs
