"""What the Measures page says, beside what the registry says of each measure."""

import math
import re

from presort.desk.text import counted
from presort.metrics import Finding, Measure

RANGE = "Worst to best"
ACROSS_LENGTHS = "Across lengths"
MEANINGS = {
    "priority": "a relevant paper above an irrelevant one scores more than the two the other way round",
    "deepness": "with one relevant paper, each step down costs less than the one before",
    "deepness threshold": "one relevant paper on top beats many that stand deep in a long list",
    "closeness threshold": "in some short list, several relevant papers a little lower beat one on top",
    "confidence": "an irrelevant paper added at the end costs something",
}
COLUMNS = {
    "measure": "Measure",
    "strictness": "Strictness",
    "n_strict": "over report issues",
    "robustness": "Robustness",
    "n_robust": "over report issues that tell rankers apart",
}
SMALL = 10  # rankers: with fewer, strictness is soon at its floor
LISTS = re.compile(r"^([01]+) over ([01]+)(?=,)")


def case_shown(case: str) -> str:
    """Draw the lists of a case as squares, where they are written out.

    Examples
    --------
    >>> case_shown("10 over 01, 2 relevant"), case_shown("n = 2: 2 zeros, then 2 ones, over 1, then 3 zeros")
    ('■□ over □■, 2 relevant', 'n = 2: 2 zeros, then 2 ones, over 1, then 3 zeros')
    """
    return LISTS.sub(lambda found: found.group().translate({ord("1"): "■", ord("0"): "□"}), case)


def finding_says(name: str, finding: Finding) -> str:
    """State whether a constraint is kept, and show the case that settles it.

    Examples
    --------
    >>> finding_says("confidence", Finding(False, "1 over 10, 1 relevant", 1.0, 1.0, 1))
    'broken by ■ over ■□, 1 relevant: the first should score more, and they score 1 and 1'
    >>> finding_says("priority", Finding(True, n_cases=441))
    'kept in all 441 lists tried'
    """
    if not finding.case:
        return f"kept in all {counted(finding.n_cases, 'list')} tried"
    kind = "lose" if name == "deepness" else "score"
    values = f"{_number(finding.more)} and {_number(finding.less)}"
    if finding.holds:
        return f"kept, as by {case_shown(finding.case)}: they score {values}"
    return f"broken by {case_shown(finding.case)}: the first should {kind} more, and they {kind} {values}"


def _number(value: float) -> str:
    return "no value" if math.isnan(value) else f"{value + 0.0:.4g}"


def too_little(n_found: int, n_chosen: int, n_report_issues: int) -> str:
    """Describe what there is too little of to judge measures; empty if there is enough.

    Examples
    --------
    >>> too_little(1, 1, 40)
    'Only one ranker has sorted anything here: measures are judged by how they order 2 or more.'
    >>> too_little(4, 4, 1)
    'These rankers share 1 report issue with something relevant; 2 are needed.'
    """
    if n_found < 2:
        return "Only one ranker has sorted anything here: measures are judged by how they order 2 or more."
    if n_chosen < 2:
        return "Choose two rankers or more."
    if n_report_issues < 2:
        return f"These rankers share {counted(n_report_issues, 'report issue')} with something relevant; 2 are needed."
    return ""


def judged_by(n_rankers: int, n_report_issues: int, n_at_floor: int) -> str:
    """Describe how much the figures rest on.

    Examples
    --------
    >>> judged_by(12, 800, 0)
    'By 12 rankers on 800 report issues.'
    """
    text = f"By {counted(n_rankers, 'ranker')} on {counted(n_report_issues, 'report issue')}."
    if n_rankers < SMALL and n_at_floor:
        floor = 1 - 1 / n_rankers
        text += (
            f" That is few rankers for strictness: it can't fall below -{floor:.3g}, and one report issue in which a "
            f"measure puts first what another puts last is enough; {counted(n_at_floor, 'measure')} "
            f"{'is' if n_at_floor == 1 else 'are'} there. Read robustness."
        )
    return text


def range_of(measure: Measure) -> str:
    """State between which values a measure lies, and in what unit."""
    return measure.range + (f" ({measure.unit})" if measure.unit else "")


def direction(measure: Measure) -> str:
    """State which end is the better one."""
    return "higher is better" if measure.higher_is_better else "lower is better"


def across_lengths(measure: Measure) -> str:
    """State whether values of issues of different lengths may be compared."""
    return "comparable" if measure.scales else "with care"
