"""Tables of the page Compare as a person reads them."""

import math
from collections.abc import Sequence
from itertools import combinations
from typing import Any

import pandas as pd

from desk.compare import ROBUST, Paired, points
from desk.differences import BY_MEDIAN, NATURAL, TESTS
from desk.words import compare_figures as words
from desk.words.compare import Standing
from desk.words.text import exact_text
from metrics import MEASURES


def difference_texts(found: pd.DataFrame, paired: Paired, against: str) -> pd.DataFrame:
    """Write the differences in words, and bring them to one scale on which higher is better.

    Parameters
    ----------
    found : DataFrame
        As `differences.leads` and `differences.differences` give it.
    paired, against
        What it is of.

    Returns
    -------
    DataFrame
        The same with ``name``, ``label``, ``mean_text``, ``against_text``, ``difference_text``, ``interval_text``, and
        a text for each of `TESTS`; and ``effect``, ``low_effect`` and ``high_effect``, parts of the usual difference,
        from -1 to 1, NaN for `BY_MEDIAN` and where nothing is defined.
    """
    texts = [_texts(row, paired, against) for _, row in found.iterrows()]
    usual = found["usual"].mask(found["usual"] == 0, 1).mask(found["measure"].isin(BY_MEDIAN))
    turned = [1 if name == NATURAL or MEASURES[name].higher_is_better else -1 for name in found["measure"]]
    effects = found[["difference", "low", "high"]].mul(turned / usual, axis="index")
    return found.join(pd.DataFrame(texts, index=found.index)).assign(
        effect=effects["difference"],
        low_effect=effects[["low", "high"]].min(axis="columns"),
        high_effect=effects[["low", "high"]].max(axis="columns"),
    )


def standing(
    counts: pd.DataFrame, found: pd.DataFrame, ranker: str, against: str, *, uir: float, measures: Sequence[str]
) -> Standing:
    """Sum up how a ranker stands against another in natural order.

    Parameters
    ----------
    counts : DataFrame
        As `compare.win_tie_loss` gives it.
    found : DataFrame
        As `differences.leads` gives it.
    uir : float
        Unanimous Improvement Ratio over the other.
    measures : sequence of str
        Those of the ratio.
    """
    count = counts[counts["ranker"] == ranker].iloc[0]
    lead = found[found["ranker"] == ranker].iloc[0]
    return Standing(
        ranker=ranker,
        against=against,
        better=int(count["better"]),
        same=int(count["same"]),
        worse=int(count["worse"]),
        low=float(lead["low"]),
        high=float(lead["high"]),
        p=float(lead["permutation_holm"]),
        uir=uir,
        measures=[MEASURES[name].label for name in measures],
        robust=ROBUST,
    )


def point_texts(paired: Paired, a: str, b: str, measure: str) -> pd.DataFrame:
    """Give what `points` gives, the last positions furthest apart first, with words.

    Returns
    -------
    DataFrame
        The same with ``at``, by which a report issue is known in an address; ``apart``, by how many papers the last
        relevant one stands earlier with a than with b; and ``shown_a`` and ``shown_b``, the values in words.
    """
    table = points(paired, a, b, measure)
    table["at"] = table["report"] + " " + table["issue"].dt.strftime("%Y-%m-%d")
    table["apart"] = table["last_b"] - table["last_a"]
    for side, name in {"a": a, "b": b}.items():
        if MEASURES[measure].gap:
            table[f"shown_{side}"] = [exact_text([gap]) for gap in paired.distances[name][measure]]
        else:
            table[f"shown_{side}"] = [words.mean_text(value, MEASURES[measure].unit) for value in table[side]]
    furthest_first = table["apart"].abs().sort_values(ascending=False, kind="stable").index
    return table.loc[furthest_first].reset_index(drop=True)


def drawable(table: pd.DataFrame) -> pd.DataFrame:
    """Keep the points of which both values are defined and, on a scale of powers, neither is the best one."""
    return table.replace([-math.inf], math.nan).dropna(subset=["drawn_a", "drawn_b"])


def improvement_texts(table: pd.DataFrame) -> pd.DataFrame:
    """Write what `compare.improvements` gives for people; what there is none of is blank."""
    return pd.DataFrame(
        {
            "ranker": table.index,
            "mean_f": table["mean_f"].map("{:.4f}".format).where(table["mean_f"].notna(), ""),
            "improves": table["improves"],
            "reference": table["reference"].fillna(""),
            "reference_uir": table["reference_uir"].map("{:.2f}".format).where(table["reference"].notna(), ""),
        }
    )


def ordered_pairs(ratios: pd.DataFrame) -> pd.DataFrame:
    """List every pair once, the ranker first that improves the other, by falling ratio.

    Examples
    --------
    >>> ordered_pairs(pd.DataFrame({"a": [0, 0.5], "b": [-0.5, 0]}, index=["a", "b"]))
           pair  ratio
    0  b over a    0.5
    """
    found = [(a, b, float(ratios.loc[a, b])) for a, b in combinations(ratios.index, 2)]
    turned = [(a, b, ratio) if ratio >= 0 else (b, a, -ratio) for a, b, ratio in found if not math.isnan(ratio)]
    table = pd.DataFrame({"pair": [f"{a} over {b}" for a, b, _ in turned], "ratio": [ratio for *_, ratio in turned]})
    return table.sort_values("ratio", ascending=False, kind="stable", ignore_index=True)


def _texts(row: "pd.Series[Any]", paired: Paired, against: str) -> dict[str, str]:
    name = row["measure"]
    measure = MEASURES.get(name)
    unit = measure.unit if measure else "share"
    is_distance = measure is not None and measure.gap is not None
    return {
        "name": measure.label if measure else words.NATURAL,
        "label": words.label(measure, is_median=name in BY_MEDIAN),
        "mean_text": _mean_text(name, row["mean"], paired, row["ranker"]),
        "against_text": _mean_text(name, row["mean_against"], paired, against),
        "difference_text": words.difference_text(row["difference"], unit, is_distance=is_distance),
        "interval_text": words.interval_text(row["low"], row["high"], unit, is_distance=is_distance),
        **{f"{test}_text": words.p_alone(row[f"{test}_holm"]) for test in TESTS},
    }


def _mean_text(name: str, mean: float, paired: Paired, ranker: str) -> str:
    if name == NATURAL:
        return ""
    if name not in paired.distances[ranker]:
        return words.mean_text(mean, MEASURES[name].unit)
    distances = paired.distances[ranker][name].dropna()
    return exact_text([distances.median()] if name in BY_MEDIAN else distances)
