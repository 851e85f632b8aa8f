"""What the page Compare says."""

import math
from collections.abc import Sequence
from dataclasses import dataclass, replace

from desk.words.text import counted

TITLE = "Compare"
SOURCE = "Rankings"
SOURCE_HELP = "A replay ranks past issues as if each had been new, with what was decided before it."
RANKERS = "Rankers"
FIRST = "From issue"
LAST = "To issue"
REPORTS = "Reports"
ALL_REPORTS = "All of them"
AGAINST = "Held against"
CANDIDATE = "In the sentence and issue by issue"
NOTHING = (
    "Nothing to compare yet: rankings are scored when a report is issued. Issue one on the Review page, or rank past "
    "issues with `presort replay --from DATE --to DATE --ranker NAME --ranker NAME`."
)
CHOOSE_TWO = "Choose two rankers or more."
NATURAL_CAPTION = (
    "In natural order the ranker is better whose last relevant paper stands earlier; where it stands at the same "
    "place, the one before decides, and so on. It is the same only where all of them stand at the same places."
)
TO_USE = "Let it sort for the editors"
USE = "Use from the next issue"
NO_BREAK = "\N{NO-BREAK SPACE}"
CERTAIN, HARDLY, PROBABLY = 0.001, 0.01, 0.05  # p below which a lead is no chance, in these words


@dataclass(frozen=True)
class Standing:
    """How a ranker stands against another in natural order.

    Attributes
    ----------
    ranker, against : str
    better, same, worse : int
        Report issues.
    low, high : float
        Interval of 95 % of its lead, the share on which it is better less that on which it is worse.
    p : float
        Of the lead, corrected; NaN if there is no telling.
    uir : float
        Unanimous Improvement Ratio over the other; NaN if no measure is defined.
    measures : sequence of str
        Labels of those of the ratio.
    robust : float
        Ratio from which an improvement is robust.
    """

    ranker: str
    against: str
    better: int
    same: int
    worse: int
    low: float
    high: float
    p: float
    uir: float
    measures: Sequence[str]
    robust: float

    @property
    def n(self) -> int:
        """Report issues in all."""
        return self.better + self.same + self.worse

    def turned(self) -> "Standing":
        """Give how the other ranker stands."""
        return replace(
            self,
            ranker=self.against,
            against=self.ranker,
            better=self.worse,
            worse=self.better,
            low=-self.high,
            high=-self.low,
            uir=-self.uir,
        )


def verdict(standing: Standing) -> str:
    """Say in a sentence which of two rankers is better, how sure that is, and whether it depends on the measure.

    Examples
    --------
    >>> pair = ("Nosel", "Copnori")
    >>> for part in verdict(Standing("b", "a", 27, 12, 61, -0.4, -0.28, 0.0004, -0.31, pair, 0.25)).split("; "):
    ...     print(part.replace(NO_BREAK, " "))
    a put the last relevant paper earlier than b in 61 % of 100 report issues, later in 27 %
    that is almost certainly not chance: its lead is 28 to 40 points (p < 0.001)
    robust: UIR 0.31 by Nosel and Copnori.
    >>> print(verdict(Standing("a", "b", 0, 3, 0, 0, 0, 1, 0, pair, 0.25)))
    a and b put every relevant paper at the same places in all 3 report issues: there is nothing to choose between them.
    """
    one = standing if standing.better >= standing.worse else standing.turned()
    if not one.better:
        every = "the only report issue" if one.n == 1 else f"all {counted(one.n, 'report issue')}"
        return (
            f"{one.ranker} and {one.against} put every relevant paper at the same places in {every}: "
            "there is nothing to choose between them."
        )
    issues = counted(one.n, "report issue")
    if one.better == one.worse:
        ahead = (
            f"Neither is ahead: {one.ranker} and {one.against} each put the last relevant paper earlier than the other "
            f"in {share_text(one.better, one.n)} of {issues}"
        )
        return f"{ahead}; {robust_says(one)}."
    ahead = (
        f"{one.ranker} put the last relevant paper earlier than {one.against} in {share_text(one.better, one.n)} of "
        f"{issues}, later in {share_text(one.worse, one.n)}"
    )
    return f"{ahead}; {chance_says(one)}; {robust_says(one)}."


def chance_says(standing: Standing) -> str:
    """Say how sure it is that a lead is no chance."""
    if math.isnan(standing.p):
        return "that is too little to tell it from chance"
    lead = f"its lead is {points_between(standing.low, standing.high)} (p {p_text(standing.p)})"
    for least, word in ((CERTAIN, "almost certainly not"), (HARDLY, "hardly"), (PROBABLY, "probably not")):
        if standing.p < least:
            return f"that is {word} chance: {lead}"
    return f"that may well be chance: {lead}"


def robust_says(standing: Standing) -> str:
    """Say whether a lead depends on how two measures are weighed."""
    by = f"by {' and '.join(standing.measures)}"
    if math.isnan(standing.uir):
        return f"there is no UIR {by}"
    if abs(standing.uir) < standing.robust:
        return f"not robust: UIR {standing.uir:.2f} {by}"
    if standing.uir < 0:
        return f"but {by} the other is better: UIR {standing.uir:.2f}"
    return f"robust: UIR {standing.uir:.2f} {by}"


def points_between(low: float, high: float) -> str:
    """Write an interval of a lead.

    Examples
    --------
    >>> points_between(0.284, 0.401), points_between(-0.014, 0.05)
    ('28 to 40 points', '-1 to 5 points')
    """
    return f"{round(100 * low)} to {round(100 * high)} points"


def p_text(p: float) -> str:
    """Write a p-value with its sign.

    Examples
    --------
    >>> p_text(0.00005), p_text(0.0123), p_text(0.4)
    ('< 0.001', '0.012', '0.40')
    """
    if p < CERTAIN:
        return f"< {CERTAIN}"
    return f"{p:.3f}" if p < 2 * PROBABLY else f"{p:.2f}"


def share_text(n: int, n_all: int) -> str:
    """Write a share in percent; only none reads as 0 %, only all as 100 %.

    Examples
    --------
    >>> [share_text(n, 3000).replace(NO_BREAK, "_") for n in (1830, 1, 2999, 3000)]
    ['61_%', 'under 1_%', 'over 99_%', '100_%']
    """
    percent = 100 * n / n_all
    if 0 < percent < 1:
        return f"under 1{NO_BREAK}%"
    return f"over 99{NO_BREAK}%" if 99 < percent < 100 else f"{percent:.0f}{NO_BREAK}%"


def left_out(n: int, not_by_all: int, nothing_relevant: int) -> str:
    """Say what is compared, and what is not.

    Examples
    --------
    >>> left_out(3208, 0, 0)
    '3,208 report issues are compared.'
    >>> left_out(40, 2, 1)
    '40 report issues are compared. Left out: 2 that not all of these rankers ranked alike, 1 with nothing relevant.'
    """
    said = {"that not all of these rankers ranked alike": not_by_all, "with nothing relevant": nothing_relevant}
    reasons = [f"{number:,} {reason}" for reason, number in said.items() if number]
    compared = f"{counted(n, 'report issue')} {'is' if n == 1 else 'are'} compared."
    return f"{compared} Left out: {', '.join(reasons)}." if reasons else compared


def no_case(not_by_all: int, nothing_relevant: int) -> str:
    """Say that there is no report issue to compare on, and why.

    Examples
    --------
    >>> no_case(2, 0)
    'No report issue tells these rankers apart: 2 were not ranked by all of them, or not the same papers.'
    """
    why = {
        f"{not_by_all:,} were not ranked by all of them, or not the same papers": not_by_all,
        f"{nothing_relevant:,} have nothing relevant": nothing_relevant,
        "none of them ranked any here": not (not_by_all or nothing_relevant),
    }
    return f"No report issue tells these rankers apart: {', '.join(reason for reason, holds in why.items() if holds)}."


def only_one(ranker: str) -> str:
    """Say that there is nothing to compare a ranker with."""
    return (
        f"Only {ranker} has ranked issues that went out. Let another rank the same past issues, too: "
        "`presort replay --from DATE --to DATE --ranker NAME --ranker NAME`."
    )


def in_use(ranker: str) -> str:
    """Say which ranker sorts now."""
    return f"{ranker} sorts for the editors from the next issue on."
