"""Tables of scores as printed in the paper, with a row per system: from Hypothesis, and from TREC."""

from pathlib import Path

import numpy as np
import pandas as pd
from hypothesis import strategies as st

from presort.metrics.systems_topics import systems_topics

TREC8 = Path(__file__).parents[2].parent / "shared" / "reference" / "trec8_ap.csv"
TRANSFORMS = ["identity", "log", "logit"]
seeds = st.integers(0, 2**32)
shapes = st.tuples(st.integers(2, 9), st.integers(2, 9))


@st.composite
def tables(draw):
    """Draw random scores, continuous or with many ties."""
    rng, shape = np.random.default_rng(draw(seeds)), draw(shapes)
    return rng.random(shape) if draw(st.booleans()) else rng.integers(0, 4, shape) / 4


def named(scores):
    systems, topics = (
        [f"s{number}" for number in range(len(scores))],
        [f"t{number}" for number in range(len(scores[0]))],
    )
    return pd.DataFrame(scores, systems, topics)


def judged(by_system, transform="identity"):
    """Compute `systems_topics` for a table as printed in the paper, with a row per system."""
    return systems_topics(pd.DataFrame(by_system).T, transform)


def nodes(graph, column):
    return np.concatenate([graph.systems[column], graph.topics[column]])
