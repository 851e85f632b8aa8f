"""Measures of how well a ranking served an editor."""

from metrics.combinatorial import copnori, copnori_gap, copnori_rank
from metrics.logarithmic import lofop
from metrics.measure import Measure
from metrics.natural_order import compare_natural, natural_order_key
from metrics.outcome import Outcome
from metrics.presorting import aselt, last_relevant_position, nosel, relative_last_position, search_length
from metrics.registry import MEASURES
from metrics.reliability import ReliabilitySensitivity, f_measure, ranking_reliability_sensitivity
from metrics.score import score
from metrics.standard import average_precision

__all__ = [
    "MEASURES",
    "Measure",
    "Outcome",
    "ReliabilitySensitivity",
    "aselt",
    "average_precision",
    "compare_natural",
    "copnori",
    "copnori_gap",
    "copnori_rank",
    "f_measure",
    "last_relevant_position",
    "lofop",
    "natural_order_key",
    "nosel",
    "ranking_reliability_sensitivity",
    "relative_last_position",
    "score",
    "search_length",
]
