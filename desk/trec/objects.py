"""JSON output of `presort score` and `presort compare`."""

import math
from collections.abc import Mapping
from typing import Any

import pandas as pd

from presort.desk.scores.correlations import correlations
from presort.metrics.comparison import Comparison
from presort.metrics.joined import Joined


def scores_object(tag: str, joined: Joined, table: pd.DataFrame, collection_size: int | None) -> dict[str, object]:
    """Return the scores of each topic, their means and medians, and the topics left out. NaN becomes null."""
    return {
        "run": tag,
        "collection_size": collection_size,
        "topics": {topic: _nulls(values) for topic, values in table.to_dict(orient="index").items()},
        "mean": _nulls(table.mean().to_dict()),
        "median": _nulls(table.median().to_dict()),
        "n_topics": table.count().to_dict(),
        "n_tied": sum(topic.n_tied for topic in joined.topics),
        "never_returned": {topic.name: topic.n_missing for topic in joined.topics if topic.n_missing},
        "nothing_relevant": [topic.name for topic in joined.topics if not topic.n_relevant],
        "only_in_run": joined.only_in_run,
        "only_in_qrels": joined.only_in_qrels,
    }


def comparison_object(comparison: Comparison, collection_size: int | None) -> dict[str, object]:
    """Return the comparison of systems by measures. NaN becomes null."""
    systems = comparison.improvements.drop(columns=["n_cases", "n_left_out"])
    return {
        "measures": list(comparison.scores),
        "with_minus_sign": [*comparison.turned, *comparison.by_distance],
        "by_distance": comparison.by_distance,
        "collection_size": collection_size,
        "n_topics": len(next(iter(comparison.scores.values()))),
        "left_out": comparison.left_out,
        "systems": _records(systems.reset_index()),
        "uir": {system: _nulls(row) for system, row in comparison.uir.to_dict(orient="index").items()},
        "tests": {measure: _records(table) for measure, table in comparison.tests.items()},
        "tukey_hsd": {measure: _records(table) for measure, table in comparison.at_once.items()},
        "systems_topics": {
            "measure": next(iter(comparison.scores)),
            "systems": _records(comparison.graph.systems.rename_axis("system").reset_index()),
            "topics": _records(comparison.graph.topics.rename_axis("topic").reset_index()),
            "correlations": _records(correlations(comparison.graph)),
        },
    }


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [_nulls(row) for row in table.to_dict(orient="records")]


def _nulls(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Replace NaN with None, because JSON has no NaN."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()}
