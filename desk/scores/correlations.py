"""Correlations between mean, inlinks, PageRank, hub and authority values, over systems and over topics."""

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
    """Return the Pearson correlation of each pair of figures in `PAIRS`, over the systems and over the topics.

    Columns: ``first``, ``second``, ``systems`` and ``topics``. NaN if a figure is constant or undefined.
    """
    rows = [(*pair, *(_correlation(nodes, *pair) for nodes in (graph.systems, graph.topics))) for pair in PAIRS]
    return pd.DataFrame(rows, columns=["first", "second", "systems", "topics"])


def _correlation(nodes: pd.DataFrame, first: str, second: str) -> float:
    if min(np.ptp(nodes[first]), np.ptp(nodes[second])) == 0:  # NumPy warns if a figure is constant
        return float("nan")
    return float(nodes[first].corr(nodes[second]))
