"""Measures of ranking quality, significance tests, and methods for comparing systems and measures.

`read_run` and `read_qrels` read TREC files, and `score` computes measures from them. `outcomes` and `Outcome`
represent a ranking by the positions of its relevant papers. `MEASURES` is the registry of measures. `uir_table`,
`tukey_hsd` and `systems_topics` compare systems, given a table of scores with one row per topic and one column per
system. For an introduction, see docs/measures.md.

Examples
--------
>>> from presort.metrics import score
>>> run, qrels = {"401": {"a": 2.0, "b": 1.0}}, {"401": {"a": 0, "b": 1}}
>>> score(run, qrels, ["AP", "nosel"]).loc["401"].to_dict()
{'AP': 0.5, 'nosel': -1.0}
"""

# The modules get pandas and SciPy from `lazy`, because importing them takes longer than all other imports together.

from presort.metrics.batch import Batch
from presort.metrics.combinatorial import copnori, copnori_loss, copnori_rank, nosel_copnori
from presort.metrics.comparison import Comparison, compare
from presort.metrics.constraints import Finding, check_constraints
from presort.metrics.exponential import ponori, ponori_loss
from presort.metrics.f_curve import FCurve, Swap, f_curve
from presort.metrics.improvement import uir_matrix, uir_table
from presort.metrics.joined_run import outcomes
from presort.metrics.logarithmic import lofop
from presort.metrics.measure import Measure
from presort.metrics.meta_evaluation import (
    robustness,
    robustness_topics,
    strictness,
    strictness_of_each,
    strictness_topics,
)
from presort.metrics.natural_order import NaturalOrderTable, compare_natural, natural_order_key, natural_order_table
from presort.metrics.organisations import reliability_sensitivity
from presort.metrics.outcome import Outcome
from presort.metrics.parametric import parametric_uir
from presort.metrics.plugins import InstalledMeasures, installed_measures
from presort.metrics.presorting import (
    aselt,
    last_relevant_position,
    nosel,
    precision_at_last,
    relative_last_position,
    search_length,
)
from presort.metrics.registry import MEASURES
from presort.metrics.reliability import ReliabilitySensitivity, f_measure, ranking_reliability_sensitivity
from presort.metrics.score import score
from presort.metrics.scored import brookes, expected_search_length, swets
from presort.metrics.stability import stability
from presort.metrics.standard import average_precision
from presort.metrics.systems_topics import SystemsTopics, systems_topics
from presort.metrics.topic_choice import PickedTopics, pick_topics
from presort.metrics.trec import Run, TrecFileError, read_qrels, read_run
from presort.metrics.tukey import tukey_hsd
from presort.metrics.unanimous import UnanimousImprovement, unanimous_improvement, unanimous_improvement_ratio
from presort.metrics.violations import Violation, Violations, violations

__all__ = [
    "MEASURES",
    "Batch",
    "Comparison",
    "FCurve",
    "Finding",
    "InstalledMeasures",
    "Measure",
    "NaturalOrderTable",
    "Outcome",
    "PickedTopics",
    "ReliabilitySensitivity",
    "Run",
    "Swap",
    "SystemsTopics",
    "TrecFileError",
    "UnanimousImprovement",
    "Violation",
    "Violations",
    "aselt",
    "average_precision",
    "brookes",
    "check_constraints",
    "compare",
    "compare_natural",
    "copnori",
    "copnori_loss",
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
    "outcomes",
    "parametric_uir",
    "pick_topics",
    "ponori",
    "ponori_loss",
    "precision_at_last",
    "ranking_reliability_sensitivity",
    "read_qrels",
    "read_run",
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
