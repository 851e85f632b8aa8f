"""Tables on the *Systems and topics* page.

In the literature's terms, a ranker is a *system*, and a report or a report issue is a *topic*. Tables of scores have
one row per topic and one column per system. Higher scores are better.
"""

import math
from collections.abc import Hashable, Sequence
from typing import Any, Literal

import numpy as np
import pandas as pd
from scipy.cluster.hierarchy import leaves_list, linkage
from scipy.spatial.distance import squareform

from presort.desk.scores.differences import BY_MEDIAN
from presort.desk.scores.registry import MEASURES
from presort.metrics import SystemsTopics, pick_topics
from presort.metrics.loss import losses

Side = Literal["systems", "topics"]

MOST_ARCS = 120  # maximum number of lines in a readable graph
MOST_DRAWN = 60  # maximum number of names on each side of the graph
MOST_IN_MATRIX = 150  # maximum number of rows in a matrix
EASE = {1: "easy", 0: "", -1: "hard"}
DISCRIMINATION = {1: "discriminating", 0: "", -1: "not discriminating"}
MOST_IN_GRAPH = 30  # maximum number of topics in a graph; for more topics, a table is clearer
FAR_OFF = 1.2  # a point is an outlier if it is more than this many standard deviations from the regression line
MOST_LABELS = 8
EQUAL = 1e-9  # tolerance in comparisons of shares
FEW = 8  # if there are at most this many points, every point is labelled
APART = 0.08  # minimum distance between labels, as a share of the chart's height
MOST_PICKED = 100  # maximum size of a subset of topics
CURVE = 10  # maximum number of subset sizes in the chart
FEW_DRAWS = 100  # number of random subsets of each size


def ranker_scores(table: pd.DataFrame, measure: str, *, by_issue: bool) -> pd.DataFrame:
    """Return a table of rankers' scores by topic.

    Parameters
    ----------
    table : DataFrame
        Result of `table.keep_comparable`.
    measure : str
        Name of the measure. If lower is better, values are negated. If the measure has a `Measure.loss`, its best
        value, 1, is subtracted, so that scores of good orders can be distinguished.
    by_issue : bool
        True if each report issue is a topic. Otherwise, each report is a topic, and its score is the mean over its
        issues (the median for `BY_MEDIAN`).

    Returns
    -------
    DataFrame, shape (n_topics, n_rankers)
        Scores. Report issues for which the measure is not defined are left out.
    """
    upwards = MEASURES[measure].higher_is_better
    values = -pd.Series(losses(measure, table["outcome"]), table.index) if MEASURES[measure].loss else table[measure]
    scored = table.assign(value=values if upwards else -values).dropna(subset="value")
    if by_issue:
        scored["report"] = scored["report"] + " " + scored["issue"].dt.strftime("%Y-%m-%d")
    middles = scored.pivot_table("value", "report", "ranker", aggfunc="median" if measure in BY_MEDIAN else "mean")
    return middles.rename_axis(index=None, columns=None) + 0.0  # + 0.0 converts -0 to 0


def transforms(scores: pd.DataFrame) -> list[str]:
    """Return the names of the transforms that are defined for all of the scores.

    Examples
    --------
    >>> transforms(pd.DataFrame([[0.5, 1.5], [0, 1]]))
    ['identity', 'log']
    """
    least, most = scores.to_numpy().min(), scores.to_numpy().max()
    return ["identity"] + ["log"] * bool(least >= 0) + ["logit"] * bool(least >= 0 and most <= 1)


def arcs(graph: SystemsTopics, kind: str) -> pd.DataFrame:
    """List the weights between systems and topics, strongest first. Columns: ``system``, ``topic`` and ``weight``.

    `kind` is "apa" for effectiveness (relative to the topic's mean) or "apm" for ease (relative to the system's mean).
    """
    weights = getattr(graph, kind)
    flat = weights.to_numpy().ravel(order="F")  # system by system, so that ties remain in the order of the systems
    n_topics, n_systems = weights.shape
    listed = pd.DataFrame(
        {
            "system": np.repeat(weights.columns, n_topics),
            "topic": np.tile(weights.index, n_systems),
            "weight": flat,
        }
    )
    return listed.iloc[np.argsort(-np.abs(flat), kind="stable")].reset_index(drop=True)


def strongest_arcs(listed: pd.DataFrame) -> pd.DataFrame:
    """Return the strongest rows of `arcs`, limited to the number of lines and names that a readable graph can show.

    Arcs with weight 0 are left out.
    """
    n_systems, n_topics = ((~listed[side].duplicated()).cumsum() for side in ("system", "topic"))
    is_drawn = (np.maximum(n_systems, n_topics) <= MOST_DRAWN) & (listed["weight"] != 0)
    return listed[is_drawn].head(MOST_ARCS)


def lay_out(graph: SystemsTopics, drawn: pd.DataFrame) -> pd.DataFrame:
    """Compute the vertical positions of the drawn arcs' systems and topics, with the highest mean at the top.

    Columns: ``side`` ("system" or "topic"), ``name``, ``mean`` and ``at`` (from 0 at the top to 1 at the bottom).
    """
    sides = []
    for side, nodes in {"system": graph.systems, "topic": graph.topics}.items():
        means = nodes["mean"][nodes.index.isin(drawn[side])].sort_values(ascending=False, kind="stable")
        at = (np.arange(len(means)) + 0.5) / max(len(means), 1)
        sides.append(pd.DataFrame({"side": side, "name": means.index, "mean": means.to_numpy(), "at": at}))
    return pd.concat(sides, ignore_index=True)


def mean_scatter_points(nodes: pd.DataFrame, figure: str) -> pd.DataFrame:
    """Return the points for a plot of hubs or authorities against means, with outliers from the regression line marked.

    Columns: ``name``, ``mean``, ``value``, ``label`` and ``is_far``, which is True for outliers. If there are at most
    `FEW` points, all of them are labelled. Otherwise, the extremes on each axis and the outliers are labelled, except
    where labels would overlap. Nodes whose figure is NaN are left out.
    """
    table = pd.DataFrame({"name": nodes.index, "mean": nodes["mean"].to_numpy(), "value": nodes[figure].to_numpy()})
    table = table.dropna(subset="value").assign(label="", is_far=False)
    if len(table) <= FEW:
        table["label"] = table["name"].astype(str)
    if len(table) <= 2 or np.ptp(table["mean"]) == 0:
        return table
    means, values = (table[column].to_numpy() - table[column].mean() for column in ("mean", "value"))
    off = pd.Series(values - means * (means @ values) / (means @ means), table.index)
    is_far = off.abs() > FAR_OFF * off.std()
    far = off[is_far].abs().sort_values(ascending=False).index
    ends = [end for column in ("mean", "value") for end in (table[column].idxmin(), table[column].idxmax())]
    for row in _choose_readable(table["value"], list(dict.fromkeys([*ends, *far]))):
        table.loc[row, "label"] = str(table.loc[row, "name"])
    return table.assign(is_far=is_far)


def kinds(means: "pd.Series[float]", hubs: "pd.Series[float]") -> "pd.Series[str]":
    """Label topics in the upper or lower third of the values as easy or hard, and as discriminating or not.

    Examples
    --------
    >>> kinds(pd.Series([0.1, 0.5, 0.9]), pd.Series([0.9, 0.2, 0.5])).to_list()
    ['hard, discriminating', 'not discriminating', 'easy']
    """
    both = zip(_thirds(means), _thirds(hubs), strict=True)
    labels = [", ".join(filter(None, (EASE[ease], DISCRIMINATION[hub]))) for ease, hub in both]
    return pd.Series(labels, means.index, dtype=object)


def topic_table(graph: SystemsTopics, *, sign: int) -> pd.DataFrame:
    """Return a table of the topics, hardest first.

    Parameters
    ----------
    graph : SystemsTopics
        Systems and topics.
    sign : int
        Factor to apply to the scores: -1 if they were negated because lower is better, and 1 otherwise.

    Returns
    -------
    DataFrame
        One row per topic: ``topic``, ``mean``, ``hub``, ``kind``, and for each system ``score_SYSTEM`` and
        ``rank_SYSTEM``, which is 1 for the best system in the row.
    """
    topics = graph.topics.sort_values("mean", kind="stable")
    scores = graph.scores.loc[topics.index]
    table = pd.DataFrame({"topic": topics.index.astype(str), "mean": sign * topics["mean"], "hub": topics["hub"]})
    table = table.assign(kind=kinds(topics["mean"], topics["hub"])).join((sign * scores + 0.0).add_prefix("score_"))
    return table.join(scores.rank(axis="columns", ascending=False, method="min").add_prefix("rank_")).reset_index(
        drop=True
    )


def _thirds(values: "pd.Series[float]") -> list[int]:
    """Return 1 for values in the upper third, -1 for values in the lower third, and 0 otherwise.

    If all values are equal, the result is 0.
    """
    places = values.rank(pct=True)
    step = 1 / max(len(values), 1)  # distance between neighbouring ranks, and also the lowest rank
    return [0 if math.isnan(x) else int(x > 2 / 3 + EQUAL) - int(x - step < 1 / 3 - EQUAL) for x in places]


def _choose_readable(heights: "pd.Series[float]", rows: Sequence[Any]) -> list[Any]:
    """Choose up to `MOST_LABELS` rows. If labels would overlap in the chart, only the first of their rows is chosen."""
    chosen: list[Any] = []
    least = APART * float(np.ptp(heights))
    for row in rows:
        if len(chosen) < MOST_LABELS and all(abs(heights[row] - heights[other]) > least for other in chosen):
            chosen.append(row)
    return chosen


def powers(means: "pd.Series[float]") -> "pd.Series[float]":
    """Return log10 of the absolute means in percent, which is -inf for a mean of 0."""
    with np.errstate(divide="ignore"):
        return pd.Series(np.log10(100 * means.abs()), means.index)


def agreement(graph: SystemsTopics, kind: str) -> pd.DataFrame:
    """Return an agreement matrix of cosine similarities, ordered by average-linkage clustering.

    Values range from -1 (opposite) to 1 (proportional). All values in the row of a
    system or topic that never differs from the mean are 0.
    """
    sums = graph.agreement(kind)
    lengths = np.sqrt(np.diag(sums))
    products = np.outer(lengths, lengths)
    cosines = np.divide(sums.to_numpy(), products, out=np.zeros_like(products), where=products > 0)
    cosines = np.clip((cosines + cosines.T) / 2, -1, 1)
    distances = 1 - cosines
    np.fill_diagonal(distances, 0)
    order = leaves_list(linkage(squareform(distances), "average", optimal_ordering=True))
    names = sums.index[order]
    return pd.DataFrame(cosines[np.ix_(order, order)], names, names)


def max_subset_size(graph: SystemsTopics) -> int:
    """Return the maximum size of a subset of topics."""
    return min(len(graph.topics), MOST_PICKED)


def compute_order_preservation(graph: SystemsTopics) -> pd.DataFrame:
    """Compute how well subsets of topics preserve the order of systems, for up to `CURVE` subset sizes.

    Columns: ``k`` (size, from 1 to `max_subset_size`), and ``tau``, ``random_tau``, ``random_low`` and ``random_high``
    as in `PickedTopics`.
    """
    numbers = np.unique(np.geomspace(1, max_subset_size(graph), CURVE).round().astype(int))
    picked = [pick_topics(graph, int(k), n_random=FEW_DRAWS) for k in numbers]
    columns = ["tau", "random_tau", "random_low", "random_high"]
    return pd.DataFrame({"k": numbers} | {name: [getattr(one, name) for one in picked] for name in columns})


def order_of_systems(graph: SystemsTopics, picked: Sequence[Hashable]) -> pd.DataFrame:
    """Compare the systems' means over a subset of topics with their means over all topics.

    Columns: ``system``, ``mean``, ``place``, ``mean_picked`` and ``place_picked``. Rows are sorted by ``mean``, best
    first. The places are 1-based ranks, and the best system has rank 1. Ties share a rank.
    """
    means = pd.DataFrame({"mean": graph.systems["mean"], "mean_picked": graph.scores.loc[list(picked)].mean()})
    places = means.round(12).rank(ascending=False, method="min").astype(int)
    table = means.assign(place=places["mean"], place_picked=places["mean_picked"]).rename_axis("system").reset_index()
    columns = ["system", "mean", "place", "mean_picked", "place_picked"]
    return table[columns].sort_values(["mean", "system"], ascending=[False, True], ignore_index=True)
