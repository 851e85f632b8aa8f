"""What the Measures page says, beside what the registry says of each measure."""

import math
import re

from desk.words.text import counted
from metrics import Finding, Measure

TITLE = "Measures"
INTRO = (
    "An editor reads down the list until the last relevant paper. So of two outcomes the better is the one whose "
    "last relevant paper comes earlier; on a tie, the one whose second-to-last comes earlier; and so on. This is "
    "the natural order, and a measure should respect it. Below, r is the number of relevant papers and n the "
    "number of papers in the issue. Where nothing was relevant, no measure has a value; where everything was, "
    "those that compare with a random order, or relevant papers with the others, have none. Means leave such "
    "issues out and count them."
)
MEANING = "What it tells"
RANGE = "Worst to best"
DIRECTION = "Direction"
NATURAL_ORDER = "Natural order"
ACROSS_LENGTHS = "Across lengths"
SOURCE = "Source"
ONE_BY_ONE = "One by one"
WORKED = "Worked on a list of papers, best-ranked first; a filled square is a relevant paper."
F_OF_ALL = "F of Reliability and Sensitivity, uncut"
CONSTRAINTS = "Constraints"
CONSTRAINTS_INTRO = (
    "What a measure of a list that ends somewhere should do (Amigó, Gonzalo, Verdejo, SIGIR 2013), tried on generated "
    "lists: kept means kept in all that were tried, broken that a list shows it. A difference below 1e-12 of the value "
    "counts as none. An issue is listed whole, so what matters to its editor is the natural order; these constraints "
    "tell how a measure behaves at the top, and beside what other people use."
)
MEANINGS = {
    "priority": "a relevant paper above an irrelevant one scores more than the two the other way round",
    "deepness": "with one relevant paper, each step down costs less than the one before",
    "deepness threshold": "one relevant paper on top beats many that stand deep in a long list",
    "closeness threshold": "in some short list, several relevant papers a little lower beat one on top",
    "confidence": "an irrelevant paper added at the end costs something",
}
CONVENTION = (
    "Relevant papers that a list does not return stand right below it; of the first 30, and in well-known measures, "
    "they are missing. Uncut means of all papers returned. Copnori and 2-Ponori are exact: values are less 1. Where "
    "lower is better, values have a minus sign."
)
MEASURE = "Measure"
TRYING = "Trying the constraints …"
KEPT, BROKEN = "kept", "✗ broken"
SHOW_CASES = "Show what a measure keeps and breaks"
CONSTRAINTS_CSV = "Constraints and cases as CSV"
OWN_DATA = "On this service's own rankings"
OWN_INTRO = (
    "*Strictness* is from -1 to 0: near 0 if what the measure puts first, no other measure puts last. It is the worst "
    "case over all report issues. *Robustness* is up to 1: how alike the report issues are in the order they give to "
    "the rankers (mean Spearman correlation); 0 is chance. Higher is better in both. Measures that keep the natural "
    "order strictly are taken by it exactly, so they share their figures."
)
NOTHING_SCORED = (
    "Nothing to judge the measures by yet: rankings are scored when a report is issued, or by `presort replay --from "
    "DATE --to DATE`."
)
RANKINGS = "Rankings"
RANKERS = "Rankers"
OWN_CSV = "Strictness and robustness as CSV"
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
    """Say whether a constraint is kept, and show the case that settles it.

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
    """Say what there is too little of to judge measures; empty if there is enough.

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
    """Say how much the figures rest on.

    Examples
    --------
    >>> judged_by(12, 800, 0)
    'By 12 rankers on 800 report issues.'
    """
    said = f"By {counted(n_rankers, 'ranker')} on {counted(n_report_issues, 'report issue')}."
    if n_rankers < SMALL and n_at_floor:
        floor = 1 - 1 / n_rankers
        said += (
            f" That is few rankers for strictness: it can't fall below -{floor:.3g}, and one report issue in which a "
            f"measure puts first what another puts last is enough; {counted(n_at_floor, 'measure')} "
            f"{'is' if n_at_floor == 1 else 'are'} there. Read robustness."
        )
    return said


def undefined(names: list[str]) -> str:
    """Say which measures have too little to be judged by."""
    return f"Not defined on enough report issues to say: {', '.join(names)}."


def range_of(measure: Measure) -> str:
    """Say between which values a measure lies, and in what unit."""
    return measure.range + (f" ({measure.unit})" if measure.unit else "")


def direction(measure: Measure) -> str:
    """Say which end is the better one."""
    return "higher is better" if measure.higher_is_better else "lower is better"


def across_lengths(measure: Measure) -> str:
    """Say whether values of issues of different lengths may be compared."""
    return "comparable" if measure.scales else "with care"


def facts(measure: Measure) -> str:
    """Say in one line what the table of measures says of one.

    Examples
    --------
    >>> from metrics import MEASURES
    >>> facts(MEASURES["aselt"])
    'Worst to best: -1 to 1 · higher is better · across lengths: comparable · Krichel, IP&M 2007'
    """
    of_lengths = f"{ACROSS_LENGTHS.lower()}: {across_lengths(measure)}"
    return " · ".join([f"{RANGE}: {range_of(measure)}", direction(measure), of_lengths, measure.source])
