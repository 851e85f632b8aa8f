"""Comparison of rankers on the same report issues, in natural order and by each measure.

The literature says *system* and *test case*; ours are a ranker and a report issue.
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
from presort.desk.scores.table import LEAST_LOSS, MEASURED, comparable, drawn, n_by_source
from presort.metrics import FCurve, Outcome, f_curve, uir_matrix, uir_table
from presort.metrics.batch import Batch
from presort.metrics.loss import losses

PAIR = ("nosel", "average_precision")  # one looks from the end, the other from the top: they can disagree
PAIR_OF_F = ("reliability_at_30", "sensitivity_at_30")  # never negative, so that there always is an F of them


@dataclass(frozen=True)
class LeftOut:
    """Report issues that can't be compared: not ranked by every ranker on the same papers, or without relevant ones."""

    not_by_all: int
    nothing_relevant: int


@dataclass(frozen=True, eq=False)
class Paired:
    """Report issues that the same rankers ranked.

    Attributes
    ----------
    rankers : tuple of str
    cases : DataFrame, a row a report issue
        ``report``, ``issue``, ``was_read_whole``, ``n_papers`` and ``n_relevant``, the latter at least 1; by report and
        issue.
    outcomes : dict of str to list of Outcome
        Of each ranker, in the order of the cases.
    scores : dict of str to DataFrame, shape (n_cases, n_measures)
        Of each ranker; NaN where a measure is not defined.
    apart : dict of (str, str) to array of int8, shape (n_cases,)
        Of two rankers, in their order: -1 where the first is better in natural order, 1 where the second, 0 if neither.
    places : DataFrame, shape (n_cases, n_rankers)
        Number of rankers that are better on a case in natural order. 0 is the best.
    left_out : LeftOut
    n_by_source : dict of str to int
        Comparable report issues of each source, that of the cases first; empty if the table names none.
    """

    rankers: tuple[str, ...]
    cases: pd.DataFrame
    outcomes: dict[str, list[Outcome]]
    scores: dict[str, pd.DataFrame]
    apart: dict[tuple[str, str], Signs]
    places: pd.DataFrame
    left_out: LeftOut
    n_by_source: dict[str, int] = field(default_factory=dict)

    def signs(self, a: str, b: str) -> Signs:
        """Return, case by case, -1 where a is better in natural order, 1 where b is, 0 where neither."""
        found = self.apart.get((a, b))
        return -self.apart[b, a] if found is None else found

    @cached_property  # once it is wanted: it takes long
    def distances(self) -> dict[str, pd.DataFrame]:
        """Losses of the measures in `EXACT`, for which floats can't distinguish good outcomes.

        A table per ranker, with a row for each case and a column for each of `EXACT`: above 0 except for the best
        outcome, NaN if the measure is not defined.
        """
        return {
            ranker: pd.DataFrame({name: losses(name, outcomes, least=LEAST_LOSS) for name in EXACT})
            for ranker, outcomes in self.outcomes.items()
        }


def pair_up(table: pd.DataFrame, rankers: Sequence[str]) -> Paired:
    """Align the rankings of several rankers by report issue.

    Parameters
    ----------
    table : DataFrame
        As `presort.desk.scores.table.for_comparison` gives it.
    rankers : sequence of str
        Two or more.
    """
    theirs = table[table["ranker"].isin(rankers)]
    common = comparable(theirs, rankers).sort_values(["report", "issue"])
    sides = {name: side.reset_index(drop=True) for name, side in common.groupby("ranker")}
    first = sides.get(rankers[0], common)
    outcomes = {name: sides[name]["outcome"].to_list() if sides else [] for name in rankers}
    apart = _apart(outcomes)
    n_cases = theirs.groupby(["report", "issue"]).ngroups
    n_blank = theirs[theirs["n_relevant"] == 0].groupby(["report", "issue"]).ngroups
    return Paired(
        rankers=tuple(rankers),
        cases=first[["report", "issue", "was_read_whole", "n_papers", "n_relevant"]],
        outcomes=outcomes,
        scores={name: sides.get(name, common)[list(MEASURED)] for name in rankers},
        apart=apart,
        places=_places(rankers, apart),
        left_out=LeftOut(not_by_all=n_cases - n_blank - len(first), nothing_relevant=n_blank),
        n_by_source=_n_by_source(theirs, len(rankers)),
    )


def _n_by_source(table: pd.DataFrame, n_rankers: int) -> dict[str, int]:
    if "source" not in table:
        return {}
    counts = n_by_source(table[table["n_relevant"] > 0], n_rankers)
    return {str(source): int(n) for source, n in counts.items()}


def win_tie_loss(paired: Paired, against: str) -> pd.DataFrame:
    """Count the report issues on which each other ranker is better than one, the same, and worse, in natural order.

    Returns
    -------
    DataFrame
        A row a ranker, in their order: ``ranker``, ``better``, ``same``, ``worse``.
    """
    others = [name for name in paired.rankers if name != against]
    found = {name: paired.signs(name, against) for name in others}
    kinds = {"better": -1, "same": 0, "worse": 1}
    counts = {kind: [int((found[name] == sign).sum()) for name in others] for kind, sign in kinds.items()}
    return pd.DataFrame({"ranker": others, **counts})


def upwards(paired: Paired, measure: str, ranker: str) -> "pd.Series[float]":
    """Return the values of a measure on each case, with a minus sign if lower is better, to compare rankers.

    A measure that keeps the natural order strictly agrees with it on every case. Floats near its best value can't
    distinguish outcomes, so the places of `Paired` are used instead.
    """
    scores = paired.scores[ranker][measure]
    if MEASURES[measure].natural_order == "strict":
        return -paired.places[ranker].where(scores.notna())
    return scores if MEASURES[measure].higher_is_better else -scores


def improvements(paired: Paired, measures: Sequence[str]) -> tuple[pd.DataFrame, pd.DataFrame]:
    """Compute which ranker improves which others by all given measures at once.

    Returns
    -------
    table : DataFrame, a row a ranker
        As `metrics.uir_table` gives it, with ``mean_f`` of the measures' own values: NaN if one of them is negative on
        some case, or lower is better. Best F first; without one, that which improves the others most.
    ratios : DataFrame, shape (n_rankers, n_rankers)
        As `metrics.uir_matrix` gives it.
    """
    by_ranker = {name: np.column_stack([upwards(paired, m, name) for m in measures]) for name in paired.rankers}
    table = uir_table(by_ranker).drop(columns="mean_f")
    plain = {name: _downwards_negative(paired.scores[name][list(measures)]) for name in paired.rankers}
    table.insert(0, "mean_f", uir_table(plain)["mean_f"])
    ratios = uir_matrix(by_ranker)
    best_first = pd.DataFrame({"f": table["mean_f"], "ratio": ratios.mean(axis="columns")})
    order = best_first.sort_values(["f", "ratio"], ascending=False, kind="stable").index
    return table.loc[order], ratios


def follow_natural_order(measures: Sequence[str]) -> bool:
    """Return whether no measure contradicts the natural order. Some may not distinguish all outcomes."""
    return all(MEASURES[name].natural_order in ("strict", "weak") for name in measures)


def pair_with_f(paired: Paired, measures: Sequence[str]) -> Sequence[str]:
    """Return the measures themselves if there is an F of them, or else Reliability and Sensitivity."""
    values = [_downwards_negative(paired.scores[name][list(measures)]) for name in paired.rankers]
    return measures if all((each >= 0).all() for each in (value[~np.isnan(value)] for value in values)) else PAIR_OF_F


def f_curves(paired: Paired, measures: Sequence[str]) -> FCurve:
    """Return the mean F of each ranker over the weight of the first of two measures, as `presort.metrics.f_curve`."""
    first, second = ([paired.scores[name][measure] for name in paired.rankers] for measure in measures)
    return f_curve(first, second)


def points(paired: Paired, a: str, b: str, measure: str) -> pd.DataFrame:
    """Return two rankers' values of a measure on each case.

    Returns
    -------
    DataFrame
        A row a report issue: the columns of `Paired.cases`; ``a`` and ``b``, the values;
        ``drawn_a`` and ``drawn_b``, what a chart draws of them, see `table.drawn`; ``last_a`` and ``last_b``, the
        last relevant positions; and ``sign``, -1 where a is better in natural order, 1 where b is, 0 where neither.
    """
    table = paired.cases.assign(sign=paired.signs(a, b))
    for side, name in {"a": a, "b": b}.items():
        outcomes = pd.Series(paired.outcomes[name], dtype=object)
        scores = paired.scores[name].assign(outcome=outcomes)
        table[side] = scores[measure]
        table[f"drawn_{side}"] = drawn(measure, scores)
        table[f"last_{side}"] = scores["last_relevant_position"].astype(int)
    return table


def _apart(outcomes: Mapping[str, Sequence[Outcome]]) -> dict[tuple[str, str], Signs]:
    """Compare every two rankers, with all outcomes in one array."""
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


def _downwards_negative(scores: pd.DataFrame) -> Floats:
    """Turn measures of which lower is better, so that there is no F of them."""
    signs = [1 if MEASURES[str(name)].higher_is_better else -1 for name in scores.columns]
    return scores.to_numpy() * signs
