"""Measures of how well a ranking served an editor, and of what they say together."""

from metrics.batch import Batch
from metrics.combinatorial import copnori, copnori_gap, copnori_rank
from metrics.constraints import Finding, check_constraints
from metrics.exponential import ponori, ponori_gap
from metrics.f_curve import FCurve, Swap, f_curve
from metrics.improvement import uir_matrix, uir_table
from metrics.installed import Installed, installed_measures
from metrics.logarithmic import lofop
from metrics.measure import Measure
from metrics.meta_evaluation import robustness, robustness_topics, strictness, strictness_of_each, strictness_topics
from metrics.mixed import nosel_copnori
from metrics.natural_order import compare_natural, natural_order_key
from metrics.natural_order_table import NaturalOrderTable, natural_order_table
from metrics.organisations import reliability_sensitivity
from metrics.outcome import Outcome
from metrics.parametric import parametric_uir
from metrics.presorting import (
    aselt,
    last_relevant_position,
    nosel,
    precision_at_last,
    relative_last_position,
    search_length,
)
from metrics.registry import MEASURES
from metrics.reliability import ReliabilitySensitivity, f_measure, ranking_reliability_sensitivity
from metrics.score import score
from metrics.scored import brookes, expected_search_length, swets
from metrics.stability import stability
from metrics.standard import average_precision
from metrics.systems_topics import SystemsTopics, systems_topics
from metrics.topic_choice import PickedTopics, pick_topics
from metrics.tukey import tukey_hsd
from metrics.unanimous import UnanimousImprovement, unanimous_improvement, unanimous_improvement_ratio
from metrics.violations import Violation, Violations, violations

__all__ = [
    "MEASURES",
    "Batch",
    "FCurve",
    "Finding",
    "Installed",
    "Measure",
    "NaturalOrderTable",
    "Outcome",
    "PickedTopics",
    "ReliabilitySensitivity",
    "Swap",
    "SystemsTopics",
    "UnanimousImprovement",
    "Violation",
    "Violations",
    "aselt",
    "average_precision",
    "brookes",
    "check_constraints",
    "compare_natural",
    "copnori",
    "copnori_gap",
    "copnori_rank",
    "expected_search_length",
    "f_curve",
    "f_measure",
    "installed_measures",
    "last_relevant_position",
    "lofop",
    "natural_order_key",
    "natural_order_table",
    "nosel",
    "nosel_copnori",
    "parametric_uir",
    "pick_topics",
    "ponori",
    "ponori_gap",
    "precision_at_last",
    "ranking_reliability_sensitivity",
    "relative_last_position",
    "reliability_sensitivity",
    "robustness",
    "robustness_topics",
    "score",
    "search_length",
    "stability",
    "strictness",
    "strictness_of_each",
    "strictness_topics",
    "swets",
    "systems_topics",
    "tukey_hsd",
    "uir_matrix",
    "uir_table",
    "unanimous_improvement",
    "unanimous_improvement_ratio",
    "violations",
]
