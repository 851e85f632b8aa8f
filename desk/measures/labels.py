"""Labels of the Measures page, in addition to those of the registry."""

import math
import re

from presort.desk.text import counted
from presort.metrics import Finding, Measure

RANGE = "Worst to best"
ACROSS_LENGTHS = "Across lengths"
MEANINGS = {
    "priority": "a relevant paper above an irrelevant one scores more than the two the other way round",
    "deepness": "with one relevant paper, each step down costs less than the one before",
    "deepness threshold": "one relevant paper on top beats many deep in a long list",
    "closeness threshold": "in some short list, several relevant papers a little lower beat one on top",
    "confidence": "an irrelevant paper added at the end costs something",
}
COLUMNS = {
    "measure": "Measure",
    "strictness": "Strictness",
    "n_strict": "over report issues",
    "robustness": "Robustness",
    "n_robust": "over report issues that distinguish rankers",
}
SMALL = 10  # rankers: with fewer, strictness is soon at its floor
LISTS = re.compile(r"^([01]+) over ([01]+)(?=,)")


def case_shown(case: str) -> str:
    """Draw the lists of a case as squares, if it contains them as zeros and ones.

    Examples
    --------
    >>> case_shown("10 over 01, 2 relevant"), case_shown("n = 2: 2 zeros, then 2 ones, over 1, then 3 zeros")
    ('■□ over □■, 2 relevant', 'n = 2: 2 zeros, then 2 ones, over 1, then 3 zeros')
    """
    return LISTS.sub(lambda found: found.group().translate({ord("1"): "■", ord("0"): "□"}), case)


def finding_says(name: str, finding: Finding) -> str:
    """Return True if a measure keeps a constraint, with the case that proves it.

    Examples
    --------
    >>> finding_says("confidence", Finding(False, "1 over 10, 1 relevant", 1.0, 1.0, 1))
    'broken by ■ over ■□, 1 relevant: scores 1 and 1, the first should be higher'
    >>> finding_says("priority", Finding(True, n_cases=441))
    'kept in all 441 lists tried'
    """
    if not finding.case:
        return f"kept in all {counted(finding.n_cases, 'list')} tried"
    values = f"{_number(finding.more)} and {_number(finding.less)}"
    if finding.holds:
        return f"kept, for example by {case_shown(finding.case)}: scores {values}"
    kind = "losses" if name == "deepness" else "scores"
    return f"broken by {case_shown(finding.case)}: {kind} {values}, the first should be higher"


def _number(value: float) -> str:
    return "no value" if math.isnan(value) else f"{value + 0.0:.4g}"


def too_little(n_found: int, n_chosen: int, n_report_issues: int) -> str:
    """Name the data that are lacking to judge measures. Empty if there are enough.

    Examples
    --------
    >>> too_little(1, 1, 40)
    'Only one ranker has ranked lists here. Judging measures needs at least 2.'
    >>> too_little(4, 4, 1)
    'These rankers share 1 report issue with a relevant paper. Judging measures needs at least 2.'
    """
    if n_found < 2:
        return "Only one ranker has ranked lists here. Judging measures needs at least 2."
    if n_chosen < 2:
        return "Choose at least two rankers."
    if n_report_issues < 2:
        shared = counted(n_report_issues, "report issue")
        return f"These rankers share {shared} with a relevant paper. Judging measures needs at least 2."
    return ""


def judged_by(n_rankers: int, n_report_issues: int, n_at_floor: int) -> str:
    """Return the basis of the figures.

    Examples
    --------
    >>> judged_by(12, 800, 0)
    '12 rankers · 800 report issues'
    """
    text = f"{counted(n_rankers, 'ranker')} · {counted(n_report_issues, 'report issue')}"
    if n_rankers < SMALL and n_at_floor:
        floor = 1 - 1 / n_rankers
        text += (
            f" · strictness is at its minimum of -{floor:.3g} for {counted(n_at_floor, 'measure')}, because one report "
            "issue suffices with so few rankers: compare robustness instead"
        )
    return text


def range_of(measure: Measure) -> str:
    """Return the range of a measure, with its unit."""
    return measure.range + (f" ({measure.unit})" if measure.unit else "")


def direction(measure: Measure) -> str:
    """Return "higher is better" or "lower is better"."""
    return "higher is better" if measure.higher_is_better else "lower is better"


def across_lengths(measure: Measure) -> str:
    """Return True if values of issues of different lengths are comparable."""
    return "comparable" if measure.scales else "with care"
