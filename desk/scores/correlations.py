"""Correlations between the figures of systems and topics that judged each other."""

import numpy as np
import pandas as pd

from presort.metrics import SystemsTopics

PAIRS = {
    ("mean", "inlinks"): "mean and inlinks",
    ("mean", "pagerank"): "mean and PageRank",
    ("mean", "hub"): "mean and hub",
    ("mean", "authority"): "mean and authority",
    ("hub", "authority"): "hub and authority",
}


def correlations(graph: SystemsTopics) -> pd.DataFrame:
    """Return Pearson's correlations between the figures, over the systems and over the topics.

    The columns are ``first``, ``second``, ``systems`` and ``topics``; NaN where a figure is the same for all or
    undefined.
    """
    rows = [(*pair, *(_correlation(nodes, *pair) for nodes in (graph.systems, graph.topics))) for pair in PAIRS]
    return pd.DataFrame(rows, columns=["first", "second", "systems", "topics"])


def _correlation(nodes: pd.DataFrame, first: str, second: str) -> float:
    if min(np.ptp(nodes[first]), np.ptp(nodes[second])) == 0:  # NumPy would warn
        return float("nan")
    return float(nodes[first].corr(nodes[second]))
