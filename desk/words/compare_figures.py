"""What the figures of the page Compare say."""

import math

from desk.words.compare import p_text
from desk.words.text import counted
from metrics import Measure

DIFFERENCES = "By each measure"
SCATTER = "Issue by issue"
MEASURE = "Measure"
IMPROVEMENT = "By two measures at once"
ONE, OTHER = "One measure", "The other"
F_CURVES = "Whatever the weight of the two"
DOWNLOAD_TABLE = "Download the differences as CSV"
DOWNLOAD_POINTS = "Download all report issues as CSV"
DOWNLOAD_IMPROVEMENTS = "Download the ratios as CSV"
DOWNLOAD_CURVES = "Download the curves as CSV"
TO_REVIEW = "Open in Review"
NATURAL = "Natural order"
UIR_CAPTION = (
    "The Unanimous Improvement Ratio (UIR) is the share of report issues on which neither measure is worse and one at "
    "least is better, less the share of the reverse. From 0.25, a rule of thumb, an improvement does not depend on how "
    "the two are weighed."
)
SAME_AS_NATURAL = (
    "These two both follow the natural order, so their UIR is the lead in natural order; Reliability and Sensitivity "
    "of the first 30 look at the list from its top instead."
)
NO_F = "There is no mean F where a measure can be negative or lower is better."
NO_RATIO = "There is no UIR: on no report issue are both measures defined."
NO_CURVE = "There is no F: on no report issue are both measures defined."
NO_SWAP = "The curves don't cross: whatever the weight, the order of the rankers is the same."
NOT_DEFINED = "not defined"
NAMES = ("label", "ranker")  # columns of words; the others are of figures
DIFFERENCE_COLUMNS = {
    "label": "Measure",
    "ranker": "Ranker",
    "mean_text": "Mean",
    "against_text": "Mean of {}",
    "difference_text": "Difference",
    "interval_text": "95 % interval",
    "wilcoxon_text": "Signed ranks, p",
    "permutation_text": "Random signs, p",
    "n_cases": "Report issues",
}
POINT_COLUMNS = {
    "report": "Report",
    "issue": "Issue",
    "apart": "Papers earlier",
    "last_a": "Last with {}",
    "last_b": "Last with {1}",
    "shown_a": "{}",
    "shown_b": "{1}",
    "n_relevant": "Relevant",
    "n_papers": "Papers",
}
APART_HELP = "By how many papers the last relevant one stands earlier with the first ranker than with the other."
IMPROVEMENT_COLUMNS = {
    "ranker": "Ranker",
    "mean_f": "Mean F",
    "improves": "Improves, with UIR 0.25 or more",
    "reference": "Improved most by",
    "reference_uir": "with UIR",
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


def differences_caption(kind: str, n_units: int, least: int, n_rankers: int) -> str:
    """Say how intervals and tests came about.

    Parameters
    ----------
    kind : str
        What is drawn again as a whole, "report" or "issue".
    n_units : int
        How many of them there are.
    least : int
        With fewer nothing can be told from chance.
    n_rankers : int
    """
    why = "" if kind == "report" else f", as there are fewer than {least} reports"
    pairs = "" if n_rankers == 2 else " and all pairs of these rankers"
    few = f" With fewer than {least}, nothing can be told from chance." if n_units < least else ""
    return (
        f"Intervals: whole {kind}s drawn again, {counted(n_units, kind)} here{why}, as what one {kind} has is alike. "
        f"p: chance of so large a difference where there is none, tested over {kind}s and corrected (Holm) over all "
        f"measures{pairs}; natural order stands by itself. 2-Ponori has medians, and the tests of natural order.{few}"
    )


def picture_caption(against: str) -> str:
    """Say what the picture of the differences shows."""
    return (
        f"Mean difference from {against} and its 95 % interval, as a part of the usual difference on a report issue: "
        "1 were the same difference each time, 0 none. To the right the ranker is better, whatever the measure."
    )


def difference_text(difference: float, unit: str, *, is_distance: bool) -> str:
    """Write a difference of means with its unit.

    Examples
    --------
    >>> difference_text(-22.698, "papers", is_distance=False), difference_text(-0.0326, "share", is_distance=False)
    ('-22.7 papers', '-3.26 points')
    >>> difference_text(0.0378, "", is_distance=False), difference_text(3.1e-14, "", is_distance=True)
    ('+0.0378', '+3.1e-12 points')
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


def named(head: str, *rankers: str) -> str:
    """Put rankers into the head of a column.

    Examples
    --------
    >>> named("Last with {}", "a", "b"), named("Last with {1}", "a", "b"), named("Issue", "a", "b")
    ('Last with a', 'Last with b', 'Issue')
    """
    return head.format(*rankers)


def scatter_caption(ranker: str, measure: Measure, n_left_out: int) -> str:
    """Say how to read the picture, and what is not drawn in it."""
    lower = measure.gap is not None or not measure.higher_is_better
    why = "a value is not defined" + (", or the best there is, which has no distance to draw" if measure.gap else "")
    left_out = f" {counted(n_left_out, 'report issue')} not drawn: {why}." if n_left_out else ""
    return (
        f"A point a report issue, {'lower' if lower else 'higher'} is better: {'below' if lower else 'above'} the line "
        f"{ranker} is better by this measure, and the colour says which is in natural order.{left_out} Click a point "
        "or a row to see both lists; in the table the last relevant papers that are furthest apart come first."
    )


def of_cases(n_cases: int, n_left_out: int) -> str:
    """Say of how many report issues a figure is.

    Examples
    --------
    >>> of_cases(3208, 0), of_cases(1, 2)
    ('Of 3,208 report issues.', 'Of 1 report issue; 2 left out, where a measure is not defined.')
    """
    left_out = f"; {n_left_out:,} left out, where a measure is not defined" if n_left_out else ""
    return f"Of {counted(n_cases, 'report issue')}{left_out}."


def other_pair(first: str, second: str) -> str:
    """Say that the curves are of other measures than those chosen."""
    return f"Drawn of {first} and {second}: there is no F of the two measures above."


def same_places(a: str, b: str, last: int) -> str:
    """Say that two rankers put all relevant papers at the same places."""
    return f"{a} and {b} put every relevant paper at the same place; the last one stands at {last:,}."


def picked_says(report: str, issue: str, n_papers: int, n_relevant: int) -> str:
    """Name a report issue that was opened.

    Examples
    --------
    >>> picked_says("lab", "2026-11-16", 612, 1)
    'lab · 2026-11-16 · 612 papers, 1 relevant'
    """
    return f"{report} · {issue} · {counted(n_papers, 'paper')}, {n_relevant:,} relevant"


def swap_says(alpha: float, below: str, above: str, measure: str) -> str:
    """Say at which weight two rankers swap places.

    Examples
    --------
    >>> swap_says(0.4277, "a", "b", "Reliability")
    'At 0.43 a and b swap: a is ahead while Reliability weighs less, b while it weighs more.'
    """
    ahead = f"{below} is ahead while {measure} weighs less, {above} while it weighs more"
    return f"At {alpha:.2f} {below} and {above} swap: {ahead}."


def _figure(difference: float, unit: str, is_distance: bool) -> str:
    if unit == "papers":
        return f"{difference:+,.1f}"
    if not is_distance and not unit.startswith("share"):
        return f"{difference:+.4f}"
    written = f"{100 * difference:+,.2f}"
    is_lost = is_distance and difference and not float(written)
    return f"{100 * difference:+.1e}" if is_lost else written


def _unit(unit: str, is_distance: bool) -> str:
    if is_distance or unit.startswith("share"):
        return " points"
    return f" {unit}" if unit else ""
