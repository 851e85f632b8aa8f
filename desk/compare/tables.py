"""Tables of the page Compare as a person reads them."""

import math
from collections.abc import Iterable, Sequence
from itertools import combinations
from typing import Any

import numpy as np
import pandas as pd

from presort.desk.compare import figure_words as words
from presort.desk.compare.words import PairResult
from presort.desk.scores.differences import BY_MEDIAN, NATURAL, TESTS
from presort.desk.scores.pairs import Paired, points
from presort.desk.scores.registry import MEASURES
from presort.desk.text import exact_text, on_screen
from presort.metrics import FCurve
from presort.metrics.loss import decimal_losses, median_loss

ROUNDING = 1e-12  # of F
TINY = 1e-300  # distances below may be too small for a float


def difference_texts(found: pd.DataFrame, paired: Paired, against: str, *, is_turned: bool) -> pd.DataFrame:
    """Write what `leads` and `differences` give in words, and bring it to one direction: above 0 the ranker is better.

    Turned, it is the one that all are compared with.

    The table gets ``name``, ``label``, ``mean_text``, ``against_text``, ``difference_text``, ``interval_text``,
    ``p_text``, and a text for each of `TESTS` and ``tukey``; ``mean_exact`` and ``against_exact``, for a file; and
    ``effect``, ``low_effect`` and ``high_effect``, parts of the usual difference, from -1 to 1, NaN for `BY_MEDIAN` and
    where nothing is defined.
    """
    up = -1 if is_turned else 1
    ways = [up if name == NATURAL or MEASURES[name].higher_is_better else -up for name in found["measure"]]
    texts = [_texts(row, paired, against, way) for way, (_, row) in zip(ways, found.iterrows(), strict=True)]
    usual = found["usual"].mask(found["usual"] == 0, 1).mask(found["measure"].isin(BY_MEDIAN))
    effects = found[["difference", "low", "high"]].mul(ways / usual, axis="index")
    return found.join(pd.DataFrame(texts, index=found.index)).assign(
        effect=effects["difference"],
        low_effect=effects[["low", "high"]].min(axis="columns"),
        high_effect=effects[["low", "high"]].max(axis="columns"),
    )


def pair_results(counts: pd.DataFrame, found: pd.DataFrame, against: str) -> dict[str, PairResult]:
    """Sum up how each other ranker stands against one, by what `win_tie_loss` and `leads` give."""
    led = found.set_index("ranker")[["low", "high", "permutation_holm", "tukey"]].astype(float)
    counted = counts.set_index("ranker")[["better", "same", "worse"]].astype(int)
    return {
        str(name): PairResult(str(name), against, *map(int, counted.loc[name]), *map(float, led.loc[name]))
        for name in counted.index
    }


def shares(pair_results: Iterable[PairResult]) -> pd.DataFrame:
    """Lay out how often each ranker was earlier than another, the same, and the other earlier, as parts of a bar.

    The columns are ``ranker``, ``outcome``, which of the three it is, in words; ``n``, ``share``, and ``start`` and
    ``end`` of the part, from 0 to 1; ``kind``, "same" or else "earlier"; and ``winner``, the ranker that earned it, if
    it is a clear winner, or else blank.
    """
    rows = []
    for one in pair_results:
        parts = [
            (f"{one.ranker} earlier", "earlier", one.better, one.ranker),
            ("the same", "same", one.same, ""),
            (f"{one.against} earlier", "earlier", one.worse, one.against),
        ]
        done = 0
        for outcome, kind, n, whose in parts:
            winner = whose if whose and whose == one.winner else ""
            ends = (done / one.n, (done + n) / one.n)
            rows.append((one.ranker, outcome, kind, n, n / one.n, *ends, winner))
            done += n
    return pd.DataFrame(rows, columns=["ranker", "outcome", "kind", "n", "share", "start", "end", "winner"])


def apart(paired: Paired, a: str, b: str) -> tuple[int, int, str]:
    """Return by how many papers the last relevant ones of two rankers are apart: the median, the most, and where."""
    last_a, last_b = (paired.scores[name]["last_relevant_position"] for name in (a, b))
    moved = (last_a - last_b).abs()
    most = paired.cases.iloc[int(moved.argmax())]
    return int(moved.median()), int(moved.max()), f"{most['report']} {most['issue']:%Y-%m-%d}"


def point_texts(paired: Paired, a: str, b: str, measure: str) -> pd.DataFrame:
    """Return what `points` gives, the last positions furthest apart first, with words.

    It gets ``at``, by which a report issue is known in an address; ``apart``, by how many papers the last relevant one
    stands earlier with a than with b; ``shown_a`` and ``shown_b``, the values in words; and where these come too near
    to the best, ``exact_a`` and ``exact_b``, for a file.
    """
    table = points(paired, a, b, measure)
    table["at"] = table["report"] + " " + table["issue"].dt.strftime("%Y-%m-%d")
    table["apart"] = table["last_b"] - table["last_a"]
    for side, name in {"a": a, "b": b}.items():
        if MEASURES[measure].loss:
            table[f"exact_{side}"] = [exact_text([loss]) for loss in decimal_losses(measure, paired.outcomes[name])]
            table[f"shown_{side}"] = table[f"exact_{side}"].map(on_screen)
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


def small_swaps(curve: FCurve, small: float) -> int:
    """Count the swaps before or after which the two rankers are never as far apart as this, in mean F."""
    n = 0
    for swap in curve.swaps:
        apart = np.abs(curve.mean_f[swap.below] - curve.mean_f[swap.above])
        sides = apart[curve.alphas < swap.alpha], apart[curve.alphas > swap.alpha]
        n += min(side.max(initial=0) for side in sides) < small
    return n


def ahead_throughout(curve: FCurve, rankers: Sequence[str]) -> str:
    """Name the ranker of the highest F of a curve without swaps; blank if the two best are level.

    Examples
    --------
    >>> from presort.metrics import f_curve
    >>> ahead_throughout(f_curve([[0.5], [0.7]], [[0.5], [0.7]]), ["a", "b"])
    'b'
    >>> ahead_throughout(f_curve([[0.5], [0.5]], [[0.7], [0.7]]), ["a", "b"])
    ''
    """
    best, second = np.argsort(-curve.mean_f.mean(axis=1), kind="stable")[:2]
    return "" if np.allclose(curve.mean_f[best], curve.mean_f[second], rtol=0, atol=ROUNDING) else rankers[best]


def _texts(row: "pd.Series[Any]", paired: Paired, against: str, way: int) -> dict[str, str]:
    name = row["measure"]
    measure = MEASURES.get(name)
    unit = measure.unit if measure else "share"
    is_distance = measure is not None and measure.loss is not None
    mean = _mean_text(name, row["mean"], paired, row["ranker"])
    mean_against = _mean_text(name, row["mean_against"], paired, against)
    low, high = sorted((way * row["low"], way * row["high"]))
    return {
        "name": measure.label if measure else words.NATURAL,
        "label": words.label(measure, is_median=name in BY_MEDIAN),
        "mean_text": on_screen(mean),
        "against_text": on_screen(mean_against),
        "difference_text": words.difference_text(way * row["difference"], unit, is_distance=is_distance),
        "interval_text": words.no_interval_text(paired.cases["report"].nunique())
        if math.isnan(low)
        else words.interval_text(low, high, unit, is_distance=is_distance),
        "p_text": words.p_alone(row["p"]),
        **{f"{test}_text": words.p_alone(row[f"{test}_holm"]) for test in TESTS},
        "tukey_text": words.p_alone(row["tukey"]),
        "mean_exact": mean,
        "against_exact": mean_against,
    }


def _mean_text(name: str, mean: float, paired: Paired, ranker: str) -> str:
    if name == NATURAL:
        return ""
    if name not in paired.distances[ranker]:
        return words.mean_text(mean, MEASURES[name].unit)
    distances = paired.distances[ranker][name].dropna()
    if distances.median() > TINY:
        return exact_text([distances.median()] if name in BY_MEDIAN else distances)
    outcomes = paired.outcomes[ranker]
    return exact_text([median_loss(name, outcomes)] if name in BY_MEDIAN else decimal_losses(name, outcomes))
