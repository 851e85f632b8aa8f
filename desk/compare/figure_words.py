"""What the figures of the page Compare say."""

import math
from collections.abc import Sequence

from presort.desk.compare.words import p_text
from presort.desk.scores.differences import LEAST_REPORTS, Units
from presort.desk.scores.words import NOT_DEFINED
from presort.desk.text import counted, points_text
from presort.metrics import Measure

NATURAL = "Natural order"
SMALL_F = 0.01  # mean F: rankers that are never further apart on one side of a swap are as good as each other
AT_ONCE = (
    " p, all at once (randomised Tukey HSD): chance that any two of these rankers were so far apart, by this measure "
    "alone; in natural order, by place."
)
NAMES = ("name", "label", "ranker")  # columns of words; the others are of figures
DIFFERENCE_COLUMNS = {
    "name": "Measure",
    "ranker": "Ranker",
    "difference_text": "{} better by",
    "interval_text": "95 % CI",
    "p_text": "p",
}
MORE_COLUMNS = {
    "label": "Measure",
    "ranker": "Ranker",
    "mean_text": "Mean",
    "against_text": "Of {}",
    "wilcoxon_text": "p, ranks",
    "permutation_text": "p, signs",
    "tukey_text": "p, all at once",
    "n_cases": "Lists",
}
POINT_COLUMNS = {
    "report": "Report",
    "issue": "Issue",
    "apart": "{} earlier by",
    "shown_a": "{}",
    "shown_b": "{1}",
    "n_relevant": "Relevant",
    "n_papers": "Papers",
}
IMPROVEMENT_COLUMNS = {
    "ranker": "Ranker",
    "mean_f": "Mean F",
    "improves": "Far more often better than",
    "reference": "Most often behind",
    "reference_uir": "UIR",
}


def p_alone(p: float) -> str:
    """Write a p-value in a table.

    Examples
    --------
    >>> p_alone(0.0123), p_alone(0.00005), p_alone(math.nan)
    ('0.012', '< 0.001', '')
    """
    return "" if math.isnan(p) else p_text(p)


def label(measure: Measure | None, *, is_median: bool = False) -> str:
    """Name a row of the differences; without a measure it is that of the natural order."""
    if measure is None:
        return f"{NATURAL} (better less worse)"
    direction = "" if measure.higher_is_better else " (lower is better)"
    return f"{measure.label}{', median' if is_median else ''}{direction}"


def differences_caption(of: Units, natural: Units, n_rankers: int) -> str:
    """Describe how intervals and tests came about, of the measures and of the natural order.

    Examples
    --------
    >>> import numpy as np
    >>> of = Units("issue", np.arange(52), 12)
    >>> print(differences_caption(of, Units("report", np.arange(8), 7), 3))  # doctest: +NORMALIZE_WHITESPACE
    95 % CI and p: of this ranker and measure alone, by sign flips of whole reports; they need 6 reports. p, ranks and
    p, signs: by signed ranks and sign flips of whole issues, 52 issues here because there are fewer than 12 reports,
    corrected (Holm) for all measures and all pairs of these rankers; natural order is corrected separately, over 8
    reports. 2-Ponori has medians, and no corrected test. p, all at once (randomised Tukey HSD): chance that
    any two of these rankers were so far apart, by this measure alone; in natural order, by place.
    """
    kind = of.kind
    why = "" if kind == "report" else f" because there are fewer than {of.least} reports"
    pairs = "" if n_rankers == 2 else " and all pairs of these rankers"
    itself = "" if natural.kind == kind else f", over {counted(natural.n, natural.kind)}"
    at_once = AT_ONCE if n_rankers > 2 else ""
    few = ""
    if natural.n < natural.least:
        few = f" With fewer than {natural.least}, nothing can be told from chance."
    elif of.n < of.least:
        few = f" With fewer than {of.least}, nothing can be told from chance by a measure."
    return (
        "95 % CI and p: of this ranker and measure alone, by sign flips of whole reports; they need "
        f"{LEAST_REPORTS} reports. p, ranks and p, signs: by signed ranks and sign flips of whole {kind}s, "
        f"{counted(of.n, kind)} here{why}, corrected (Holm) for all measures{pairs}; natural order is "
        f"corrected separately{itself}. 2-Ponori has medians, and no corrected test.{at_once}{few}"
    )


def better_one(others: Sequence[str], against: str, *, is_turned: bool) -> str:
    """Name who is better where a difference is above 0: the ranker, or turned, the one it is compared with.

    Examples
    --------
    >>> better_one(["new"], "old", is_turned=False), better_one(["new", "odd"], "old", is_turned=False)
    ('new', 'the ranker')
    >>> better_one(["new", "odd"], "old", is_turned=True)
    'old'
    """
    return against if is_turned else others[0] if len(others) == 1 else "the ranker"


def differences_says(who: str, others: Sequence[str], against: str) -> str:
    """Describe the picture of differences, by who is better on its right.

    Examples
    --------
    >>> print(differences_says("old", ["new"], "old"))  # doctest: +NORMALIZE_WHITESPACE
    Mean difference between new and old with its 95 % confidence interval, as a part of the usual difference on a
    report issue: 1 is the same difference each time, 0 is no difference. Above 0 (right), old is better.
    """
    between = f"{others[0]} and {against}" if len(others) == 1 else f"each ranker and {against}"
    return (
        f"Mean difference between {between} with its 95 % confidence interval, as a part of the usual difference on a "
        f"report issue: 1 is the same difference each time, 0 is no difference. Above 0 (right), {who} is better."
    )


def difference_text(difference: float, unit: str, *, is_distance: bool) -> str:
    """Write a difference of means with its unit.

    Examples
    --------
    >>> difference_text(-22.698, "papers", is_distance=False), difference_text(-0.0326, "share", is_distance=False)
    ('-22.7 papers', '-3.26 points')
    >>> difference_text(0.0378, "", is_distance=False), difference_text(3.1e-14, "", is_distance=True)
    ('+0.0378', '< +0.01 points')
    """
    if math.isnan(difference):
        return NOT_DEFINED
    return f"{_figure(difference, unit, is_distance)}{_unit(unit, is_distance)}"


def interval_text(low: float, high: float, unit: str, *, is_distance: bool) -> str:
    """Write the interval of a difference, in the unit of `difference_text`.

    Examples
    --------
    >>> interval_text(-0.04, -0.026, "share of the issue", is_distance=False)
    '-4.00 to -2.60'
    """
    return NOT_DEFINED if math.isnan(low) else " to ".join(_figure(end, unit, is_distance) for end in (low, high))


def no_interval_text(n_reports: int) -> str:
    """Explain why a difference has no interval.

    Examples
    --------
    >>> no_interval_text(5), no_interval_text(8)
    ('needs 6 reports', 'not defined')
    """
    return f"needs {LEAST_REPORTS} reports" if n_reports < LEAST_REPORTS else NOT_DEFINED


def mean_text(mean: float, unit: str) -> str:
    """Write a mean.

    Examples
    --------
    >>> mean_text(90.288, "papers"), mean_text(0.1302, "share of the issue"), mean_text(0.957, "")
    ('90.3', '13.02 %', '0.9570')
    """
    if math.isnan(mean):
        return NOT_DEFINED
    return f"{mean:,.1f}" if unit == "papers" else f"{100 * mean:.2f} %" if unit.startswith("share") else f"{mean:.4f}"


def column_head(head: str, *rankers: str) -> str:
    """Put rankers into the head of a column.

    Examples
    --------
    >>> column_head("{} earlier by", "a", "b"), column_head("{1}", "a", "b"), column_head("Issue", "a", "b")
    ('a earlier by', 'b', 'Issue')
    """
    return head.format(*rankers)


def scatter_caption(ranker: str, measure: Measure, n_left_out: int) -> str:
    """Describe how to read the picture, and what is not drawn in it."""
    lower = measure.loss is not None or not measure.higher_is_better
    why = "a value is not defined" + (", or the best there is, which has no distance to draw" if measure.loss else "")
    left_out = f" {counted(n_left_out, 'report issue')} not drawn: {why}." if n_left_out else ""
    return (
        f"A point a report issue, {'lower' if lower else 'higher'} is better: {'below' if lower else 'above'} the line "
        f"{ranker} is better by this measure, and the colour says which is in natural order.{left_out} Click a point "
        "or a row to see both lists; in the table the last relevant papers that are furthest apart come first."
    )


def of_cases(n_cases: int, n_left_out: int) -> str:
    """State of how many report issues a figure is.

    Examples
    --------
    >>> of_cases(3208, 0), of_cases(1, 2)
    ('Of 3,208 lists.', 'Of 1 list; 2 left out, where a measure is not defined.')
    """
    left_out = f"; {n_left_out:,} left out, where a measure is not defined" if n_left_out else ""
    return f"Of {counted(n_cases, 'list')}{left_out}."


def robust_says(ranker: str, uir: float, measures: Sequence[str], robust: float, *, follow: bool) -> str:
    """State whether two measures, looked at together, say that the ranker ahead in natural order is better.

    Parameters
    ----------
    uir : float
        Unanimous Improvement Ratio of that ranker over the other; NaN if no measure is defined.
    measures : sequence of str
        Labels of those of the ratio.
    robust : float
        Ratio from which an improvement is robust.
    follow : bool
        Whether neither of the two can be against the natural order.

    Examples
    --------
    >>> print(robust_says("a", 0.31, ["Nosel", "Average precision"], 0.25, follow=False))
    No: by Nosel and Average precision at once, a is better far more often than worse.
    >>> print(robust_says("a", 0.31, ["Nosel", "Copnori"], 0.25, follow=True))
    These two can't tell: Nosel and Copnori follow the natural order, as the verdict does. Choose another measure below.
    """
    by = " and ".join(measures)
    if math.isnan(uir):
        return f"There is no telling: {by} are not defined here."
    if follow:
        return (
            f"These two can't tell: {by} follow the natural order, as the verdict does. Choose another measure below."
        )
    if abs(uir) < robust:
        return f"It may: by {by} at once, neither is better far more often."
    if uir < 0:
        return f"It does: by {by} at once, the other is better far more often."
    return f"No: by {by} at once, {ranker} is better far more often than worse."


def weights_say(n_swaps: int, n_small: int, n_cases: int, measures: Sequence[str], ahead: str) -> str:
    """State whether the rankers swap places as one of two measures weighs more, and how often too little matters.

    Where they don't, one of them is `ahead`; blank if they are level.

    Examples
    --------
    >>> weights_say(0, 0, 161, ["Reliability", "Sensitivity"], "a")
    'No: however much Reliability weighs beside Sensitivity, the rankers stay in the same order, a first.'
    >>> weights_say(0, 0, 161, ["Reliability", "Sensitivity"], "")
    'No: however much Reliability weighs beside Sensitivity, the best rankers are level.'
    >>> weights_say(6, 6, 161, ["Reliability", "Sensitivity"], "a")
    'Hardly: where rankers swap places, 6 times, the differences are too small to matter, less than 0.01 in F.'
    >>> weights_say(2, 1, 161, ["Reliability", "Sensitivity"], "a")
    'It does: as Reliability weighs more beside Sensitivity, two rankers swap places; others swap that are less than 0.01 apart in F.'
    """  # noqa: E501
    first, second = measures
    if not n_cases:
        return f"There is no telling: {first} and {second} are not defined here."
    if not n_swaps:
        order = f"the rankers stay in the same order, {ahead} first" if ahead else "the best rankers are level"
        return f"No: however much {first} weighs beside {second}, {order}."
    if n_swaps == n_small:
        times = _times(n_swaps)
        return (
            f"Hardly: where rankers swap places{times}{',' if times else ''} the differences are too small to matter, "
            f"less than {SMALL_F:g} in F."
        )
    others = f"; others swap that are less than {SMALL_F:g} apart in F" if n_small else ""
    return (
        f"It does: as {first} weighs more beside {second}, two rankers swap places{_times(n_swaps - n_small)}{others}."
    )


def _times(n: int) -> str:
    return "" if n == 1 else f", {n:,} times"


def apart_says(usual: int, most: int, where: str) -> str:
    """Describe how far two rankers are apart: papers between their last relevant ones, in half of the lists and most.

    Examples
    --------
    >>> apart_says(14, 166, "fmk 2026-08-17")
    'In half of the lists the last relevant paper moves by 14 papers or fewer; the most is 166, in fmk 2026-08-17.'
    """
    if not most:
        return "The last relevant paper stands at the same place in every list."
    usually = f"In half of the lists the last relevant paper moves by {counted(usual, 'paper')} or fewer"
    return f"{usually}; the most is {most:,}, in {where}."


def _figure(difference: float, unit: str, is_distance: bool) -> str:
    if unit == "papers":
        return f"{difference:+,.1f}"
    if not is_distance and not unit.startswith("share"):
        return f"{difference:+.4f}"
    return points_text(difference)


def _unit(unit: str, is_distance: bool) -> str:
    if is_distance or unit.startswith("share"):
        return " points"
    return f" {unit}" if unit else ""
