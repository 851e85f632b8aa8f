"""Labels and messages on the *Measures* page that are not in the registry of measures."""

import math
import re

from presort.desk.text import count_text
from presort.metrics import Finding, Measure

RANGE = "Worst to best"
ACROSS_LENGTHS = "Across list lengths"
MEANINGS = {
    "priority": "swapping an irrelevant paper with a relevant paper below it raises the score",
    "deepness": "with a single relevant paper, each step down lowers the score less than the step before",
    "deepness threshold": "one relevant paper at the top scores higher than many relevant papers deep in a long list",
    "closeness threshold": "in some short list, several relevant papers slightly below the top score higher than one "
    "relevant paper at the top",
    "confidence": "adding an irrelevant paper at the end lowers the score",
}
COLUMNS = {
    "measure": "Measure",
    "strictness": "Strictness",
    "n_strict": "Report issues (strictness)",
    "robustness": "Robustness",
    "n_robust": "Report issues (robustness)",
}
SMALL = 10  # with fewer rankers than this, strictness often equals its minimum
LISTS = re.compile(r"^([01]+) over ([01]+)(?=,)")


def case_text(case: str) -> str:
    """Replace the lists of zeros and ones in the description of a case by squares.

    Examples
    --------
    >>> case_text("10 over 01, 2 relevant"), case_text("n = 2: (2 zeros, then 2 ones) over (1, then 3 zeros)")
    ('■□ over □■, 2 relevant', 'n = 2: (2 zeros, then 2 ones) over (1, then 3 zeros)')
    """
    return LISTS.sub(lambda found: found.group().translate({ord("1"): "■", ord("0"): "□"}), case)


def finding_text(name: str, finding: Finding) -> str:
    """Describe whether a measure satisfies a constraint, and name the decisive case, if there is one.

    Examples
    --------
    >>> finding_text("confidence", Finding(False, "1 over 10, 1 relevant", 1.0, 1.0, 1))
    'violated by ■ over ■□, 1 relevant: scores 1 and 1, but the first should be higher'
    >>> finding_text("priority", Finding(True, n_cases=441))
    'satisfied in all 441 tested lists'
    """
    if not finding.case:
        return f"satisfied in all {count_text(finding.n_cases, 'tested list')}"
    values = f"{_number(finding.more)} and {_number(finding.less)}"
    if finding.holds:
        return f"satisfied, for example by {case_text(finding.case)}: scores {values}"
    kind = "losses" if name == "deepness" else "scores"
    return f"violated by {case_text(finding.case)}: {kind} {values}, but the first should be higher"


def _number(value: float) -> str:
    return "no value" if math.isnan(value) else f"{value + 0.0:.4g}"


def missing_data_text(n_found: int, n_chosen: int, n_report_issues: int) -> str:
    """Describe which data are missing to evaluate the measures. Returns an empty string if there are enough data.

    Examples
    --------
    >>> missing_data_text(1, 1, 40)
    'Only one ranker has ranked lists. Evaluating measures needs at least 2.'
    >>> missing_data_text(4, 4, 1)
    'These rankers have 1 report issue in common in which a paper is relevant. Evaluating measures needs at least 2.'
    """
    if n_found < 2:
        return "Only one ranker has ranked lists. Evaluating measures needs at least 2."
    if n_chosen < 2:
        return "Choose at least two rankers."
    if n_report_issues < 2:
        shared = count_text(n_report_issues, "report issue")
        return (
            f"These rankers have {shared} in common in which a paper is relevant. Evaluating measures needs at least 2."
        )
    return ""


def basis_text(n_rankers: int, n_report_issues: int, n_at_floor: int) -> str:
    """Describe the basis of the figures: the numbers of rankers and report issues.

    `n_at_floor` is the number of measures whose strictness is at its minimum. If there are few rankers, a warning
    explains these minimums.

    Examples
    --------
    >>> basis_text(12, 800, 0)
    '12 rankers · 800 report issues'
    """
    text = f"{count_text(n_rankers, 'ranker')} · {count_text(n_report_issues, 'report issue')}"
    if n_rankers < SMALL and n_at_floor:
        floor = 1 - 1 / n_rankers
        text += (
            f" · strictness is at its minimum of -{floor:.3g} for {count_text(n_at_floor, 'measure')}. With so few "
            "rankers, a single report issue is enough to cause this. Compare robustness instead."
        )
    return text


def range_of(measure: Measure) -> str:
    """Return the range of a measure's values, with the unit."""
    return measure.range + (f" ({measure.unit})" if measure.unit else "")


def direction(measure: Measure) -> str:
    """Return "higher is better" or "lower is better"."""
    return "higher is better" if measure.higher_is_better else "lower is better"


def across_lengths(measure: Measure) -> str:
    """Describe whether a measure's values are comparable between lists of different lengths."""
    return "comparable" if measure.scales else "compare with care"
