"""What machines and network have learned, and how it is laid out in arrays."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from ranker.fields import Field, LearnedFields, fields_from
from ranker.network import Weights
from ranker.recipe import Labels, Table
from ranker.topics import Topics

LAYOUT = 1
LAYERS = ["into", "bias", "out of", "bias of reports", "weight of margins"]


@dataclass(frozen=True, eq=False)
class Learned:
    """What stands once past papers were learned from.

    Attributes
    ----------
    fields : LearnedFields
        Which terms there are.
    weights : array of shape (n_terms + 1, n_reports)
        Of the machines; the last row is that of the constant.
    mean, spread : arrays of shape (n_reports,)
        Of each machine's margins over past papers.
    topics : Topics
    past_topics : array of shape (n_past, n_topics)
        Of the papers that were learned from.
    y : array of shape (n_past, n_reports)
        What was learned of them: 1 for relevant, 0 for not, -1 where the report says nothing.
    networks : list of weights
        One a seed.
    """

    fields: LearnedFields
    weights: NDArray[np.float32]
    mean: Table
    spread: Table
    topics: Topics
    past_topics: NDArray[np.float32]
    y: Labels
    networks: list[Weights]

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Give all as arrays."""
        found = {
            **self.fields.arrays(),
            "weights": self.weights,
            "mean": self.mean,
            "spread": self.spread,
            "topic terms": self.topics.terms,
            "topic directions": self.topics.directions,
            "past topics": self.past_topics,
            "y": self.y,
        }
        for number, network in enumerate(self.networks):
            found |= {f"network {number} {layer}": weight for layer, weight in zip(LAYERS, network, strict=True)}
        return found


def learned_from(arrays: Mapping[str, NDArray[Any]], fields: Mapping[str, Field], n_networks: int) -> Learned:
    """Take what `Learned.arrays` gave."""
    return Learned(
        fields=fields_from(fields, arrays),
        weights=arrays["weights"],
        mean=arrays["mean"],
        spread=arrays["spread"],
        topics=Topics(arrays["topic terms"], arrays["topic directions"]),
        past_topics=arrays["past topics"],
        y=arrays["y"],
        networks=[[arrays[f"network {number} {layer}"] for layer in LAYERS] for number in range(n_networks)],
    )
