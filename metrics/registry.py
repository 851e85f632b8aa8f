"""The one list of measures: pages, tables and documents loop over it.

To add a measure, write ``name`` and ``name_each`` in the module of its family, and add it here.
"""

from functools import partial

from metrics.batch import Batch, Floats, alone
from metrics.combinatorial import copnori, copnori_each
from metrics.logarithmic import lofop, lofop_each
from metrics.measure import Measure
from metrics.presorting import (
    aselt,
    aselt_each,
    last_relevant_position,
    last_relevant_position_each,
    nosel,
    nosel_each,
    relative_last_position,
    relative_last_position_each,
    search_length,
    search_length_each,
)
from metrics.reliability import f_measure_each, ranking_reliability_sensitivity_each
from metrics.standard import average_precision, average_precision_each

CUT = 30  # papers an editor is told to read, where nothing else says how many

KRICHEL = "Krichel, IP&M 2007"
AMIGO = "Amigó, Gonzalo, Verdejo, SIGIR 2013"


def _reliability_each(batch: Batch) -> Floats:
    return ranking_reliability_sensitivity_each(batch, CUT)[0]


def _sensitivity_each(batch: Batch) -> Floats:
    return ranking_reliability_sensitivity_each(batch, CUT)[1]


def _f_each(batch: Batch) -> Floats:
    reliable, sensitive, *_ = ranking_reliability_sensitivity_each(batch, CUT)
    return f_measure_each(reliable, sensitive)


_LISTED = [
    Measure(
        name="last_relevant_position",
        label="Last relevant position",
        unit="papers",
        range="n to r",
        higher_is_better=False,
        natural_order="weak",
        scales=False,
        source=KRICHEL,
        meaning="How far down the list you must read to have met every relevant paper.",
        compute=last_relevant_position,
        compute_each=last_relevant_position_each,
    ),
    Measure(
        name="relative_last_position",
        label="Relative last position",
        unit="share of the issue",
        range="1 to r/n",
        higher_is_better=False,
        natural_order="weak",
        scales=True,
        source=KRICHEL,
        meaning="The share of the issue you must read to have met every relevant paper. Compares issues of any length.",
        compute=relative_last_position,
        compute_each=relative_last_position_each,
    ),
    Measure(
        name="search_length",
        label="Search length",
        unit="papers",
        range="n - r to 0",
        higher_is_better=False,
        natural_order="weak",
        scales=False,
        source=KRICHEL,
        meaning="How many papers you read in vain before you have met every relevant one.",
        compute=search_length,
        compute_each=search_length_each,
    ),
    Measure(
        name="aselt",
        label="Aselt",
        unit="",
        range="-1 to 1",
        higher_is_better=True,
        natural_order="violates",
        scales=True,
        source=KRICHEL,
        meaning="How early the relevant papers stand in the mean; 0 is a random order. It forgives one late paper.",
        compute=aselt,
        compute_each=aselt_each,
    ),
    Measure(
        name="lofop",
        label="Lofop",
        unit="",
        range="(ln r! - E)/(B - E), below 0, to 1, with E = (r/n) ln n! and B = ln n! - ln (n-r)!",
        higher_is_better=True,
        natural_order="violates",
        scales=False,
        source=KRICHEL,
        meaning="Like Aselt, but the nearer the end of the list, the more a place costs; 0 is a random order.",
        compute=lofop,
        compute_each=lofop_each,
    ),
    Measure(
        name="nosel",
        label="Nosel",
        unit="",
        range="-1/r to 1",
        higher_is_better=True,
        natural_order="weak",
        scales=False,
        source=KRICHEL,
        meaning="How much of the reading in vain the order saved you: 1 is all of it, 0 no more than a random order.",
        compute=nosel,
        compute_each=nosel_each,
    ),
    Measure(
        name="copnori",
        label="Copnori",
        unit="",
        range="-1 to 1",
        higher_is_better=True,
        natural_order="strict",
        scales=False,
        source=KRICHEL,
        meaning=(
            "Where this order stands among all possible ones, the last relevant paper deciding first: 1 is the best, "
            "0 the middle, -1 the worst. Good orders come very near 1."
        ),
        compute=copnori,
        compute_each=copnori_each,
    ),
    Measure(
        name="average_precision",
        label="Average precision",
        unit="",
        range="mean of i/(n - r + i), i = 1 to r, to 1",
        higher_is_better=True,
        natural_order="violates",
        scales=False,
        source="scikit-learn, average_precision_score",
        meaning="How pure the list is down to each relevant paper, in the mean. The top counts most, the end hardly.",
        compute=average_precision,
        compute_each=average_precision_each,
    ),
    Measure(
        name="reliability_at_30",
        label=f"Reliability of the first {CUT}",
        unit="",
        range="0 to 1; if n is at least 30, to 0.37 at r = 30 or more and less for fewer",
        higher_is_better=True,
        natural_order="violates",
        scales=False,
        source=AMIGO,
        meaning=f"How far you can rely on the first {CUT} to be worth reading before the rest; the top counts most.",
        compute=partial(alone, _reliability_each),
        compute_each=_reliability_each,
    ),
    Measure(
        name="sensitivity_at_30",
        label=f"Sensitivity of the first {CUT}",
        unit="",
        range="max(0, m + r - n)/r to min(1, m/r), with m = min(30, n)",
        higher_is_better=True,
        natural_order="violates",
        scales=False,
        source=AMIGO,
        meaning=f"The share of the relevant papers that you meet in the first {CUT}.",
        compute=partial(alone, _sensitivity_each),
        compute_each=_sensitivity_each,
    ),
    Measure(
        name="f_at_30",
        label=f"F of Reliability and Sensitivity of the first {CUT}",
        unit="",
        range="0 to 1; if n is at least 30, to 0.54 at r = 30 and less for fewer or more",
        higher_is_better=True,
        natural_order="violates",
        scales=False,
        source=AMIGO,
        meaning=f"High only if the first {CUT} papers are both worth reading and complete: their harmonic mean.",
        compute=partial(alone, _f_each),
        compute_each=_f_each,
    ),
]

MEASURES: dict[str, Measure] = {measure.name: measure for measure in _LISTED}
