"""What the page Compare says."""

import math
from collections.abc import Mapping
from dataclasses import dataclass, replace

from presort.desk.scores.differences import SURE, least_units
from presort.desk.scores.outcomes import counted_in_words
from presort.desk.scores.table import LIVE, REPLAY
from presort.desk.scores.words import p_value
from presort.desk.text import counted

NO_BREAK = "\N{NO-BREAK SPACE}"
FEWEST = 2  # rankers: a single pair, of which no other can lead by chance
CERTAIN = 0.001  # p is not written more exactly below


@dataclass(frozen=True)
class PairResult:
    """How a ranker stands against another in natural order.

    Attributes
    ----------
    ranker, against : str
    better, same, worse : int
        Report issues.
    low, high : float
        95 % confidence interval of its lead, the share on which it is better less that on which it is worse. NaN with
        too few reports.
    p : float
        Of the lead, corrected for all pairs of rankers; NaN if there is no telling. Below 0.05 only if the interval
        doesn't include 0; of two rankers, if and only if.
    p_at_once : float
        Of how far the two are apart by place, all rankers tested at once; NaN if these are the only two.
    """

    ranker: str
    against: str
    better: int
    same: int
    worse: int
    low: float
    high: float
    p: float
    p_at_once: float = math.nan

    @property
    def n(self) -> int:
        """Report issues in all."""
        return self.better + self.same + self.worse

    @property
    def winner(self) -> str | None:
        """The one that is clearly better: so large a lead is probably no chance. None if neither is."""
        return self.ahead.ranker if self.p < SURE and self.better != self.worse else None

    @property
    def ahead(self) -> "PairResult":
        """The same, told of the one that is better more often."""
        if self.better >= self.worse:
            return self
        return replace(
            self,
            ranker=self.against,
            against=self.ranker,
            better=self.worse,
            worse=self.better,
            low=-self.high,
            high=-self.low,
        )


def verdict(pair_result: PairResult, active: str) -> str:
    """State which of two rankers is better, and what to do where one of them sorts for the editors.

    Examples
    --------
    >>> def say(*figures, active="old"):
    ...     print(verdict(PairResult("new", "old", *figures), active).replace(NO_BREAK, " "))
    >>> say(831, 163, 368, 0.28, 0.40, 0.0004)
    new was earlier in 61 % of 1,362 lists, later in 27 %. Use it.
    >>> say(831, 163, 368, 0.28, 0.40, 0.0004, active="new")
    new was earlier in 61 % of 1,362 lists, later in 27 %. Keep it.
    >>> say(27, 12, 61, -0.40, -0.28, 0.0004, active="third")
    old was earlier in 61 % of 100 lists, later in 27 %. It is the better of these two; third sorts for the editors.
    >>> say(80, 4, 77, -0.12, 0.15, 0.8)
    No clear winner: new was earlier in 50 % of 161 lists, old in 48 %. Keep what you have.
    >>> say(2, 0, 1, math.nan, math.nan, math.nan)
    Too early to tell: new was earlier in 67 % of 3 lists, old in 33 %. Keep what you have.
    >>> say(0, 3, 0, 0, 0, 1)
    No difference: new and old put every relevant paper at the same places in all 3 lists. Keep what you have.
    """
    one, keep = pair_result.ahead, "Keep what you have."
    if not one.better:
        every = "the only list" if one.n == 1 else f"all {counted(one.n, 'list')}"
        both = f"{pair_result.ranker} and {pair_result.against}"
        return f"No difference: {both} put every relevant paper at the same places in {every}. {keep}"
    ahead = f"{one.ranker} was earlier in {share_text(one.better, one.n)} of {counted(one.n, 'list')}"
    later = share_text(one.worse, one.n)
    other = f"It is the better of these two; {active} sorts for the editors."
    if pair_result.winner:
        advice = "Keep it." if pair_result.winner == active else "Use it." if to_use(pair_result, active) else other
        return f"{ahead}, later in {later}. {advice}"
    return (
        f"{'Too early to tell' if math.isnan(one.p) else 'No clear winner'}: {ahead}, {one.against} in {later}. {keep}"
    )


def to_use(pair_result: PairResult, active: str) -> str | None:
    """Name the ranker that had better sort for the editors than the one that does: if it is the clear winner over it.

    Examples
    --------
    >>> clear = PairResult("new", "old", 61, 12, 27, 0.28, 0.4, 0.0004)
    >>> to_use(clear, "old"), to_use(clear, "new"), to_use(clear, "third")
    ('new', None, None)
    """
    return pair_result.winner if pair_result.winner and pair_result.ahead.against == active else None


def many_says(n_rankers: int) -> str:
    """Describe the correction of the verdict for several comparisons. Empty for two rankers.

    Examples
    --------
    >>> many_says(5)
    'The verdict is corrected for ten pairwise comparisons. Compare fewer rankers to detect smaller differences.'
    >>> many_says(2)
    ''
    """
    if n_rankers <= FEWEST:
        return ""
    n_pairs = counted_in_words(math.comb(n_rankers, 2), "pairwise comparison")
    return f"The verdict is corrected for {n_pairs}. Compare fewer rankers to detect smaller differences."


def chance_says(pair_result: PairResult, n_rankers: int) -> str:
    """Describe whether a lead is significant, of two of so many rankers.

    Examples
    --------
    >>> chance_says(PairResult("a", "b", 61, 12, 27, 0.28, 0.4, 0.0004), 2)
    'Significant: the lead of a over b is 28 to 40 points (95 % CI, p < 0.001).'
    >>> chance_says(PairResult("a", "b", 56, 7, 37, -0.02, 0.4, 0.09), 2)
    'Not significant: the lead of a over b is -2 to 40 points (95 % CI, p = 0.090).'
    >>> print(chance_says(PairResult("a", "b", 56, 7, 37, 0.02, 0.36, 0.09), 5))  # doctest: +NORMALIZE_WHITESPACE
    Not significant: the lead of a over b is 2 to 36 points (95 % CI of this pair alone, p = 0.090 corrected for ten
    pairwise comparisons).
    >>> chance_says(PairResult("a", "b", 61, 12, 27, math.nan, math.nan, 0.004), 2)
    'Significant: the lead of a over b is 34 points (p = 0.004). There is no confidence interval: it needs 6 reports.'
    """
    return f"{_pair_says(pair_result.ahead, n_rankers)}{_at_once_says(pair_result.p_at_once)}"


def _pair_says(one: PairResult, n_rankers: int) -> str:
    if math.isnan(one.p):
        return "There are too few lists to tell."
    significant = "Significant" if one.p < SURE else "Not significant"
    lead, p, of_pair = f"the lead of {one.ranker} over {one.against} is", p_value(one.p), ""
    if n_rankers > FEWEST:
        p += f" corrected for {counted_in_words(math.comb(n_rankers, 2), 'pairwise comparison')}"
        of_pair = " of this pair alone"
    if math.isnan(one.low):
        points = round(100 * (one.better - one.worse) / one.n)
        needs = counted(least_units(math.comb(n_rankers, 2)), "report")
        return f"{significant}: {lead} {points} points ({p}). There is no confidence interval: it needs {needs}."
    points_of_interval = f"{round(100 * one.low)} to {round(100 * one.high)} points"
    return f"{significant}: {lead} {points_of_interval} (95 % CI{of_pair}, {p})."


def _at_once_says(p: float) -> str:
    if math.isnan(p):
        return ""
    often = "seldom sets any two" if p < SURE else "may well set some two"
    return f" Tested all at once (Tukey), chance {often} of these rankers so far apart: p {p_text(p)}."


def p_text(p: float) -> str:
    """Write a p-value with its sign.

    Examples
    --------
    >>> p_text(0.00005), p_text(0.0123), p_text(0.4)
    ('< 0.001', '0.012', '0.40')
    """
    if p < CERTAIN:
        return f"< {CERTAIN}"
    return f"{p:.3f}" if p < 2 * SURE else f"{p:.2f}"


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


def sorts(active: str, *, is_new: bool) -> str:
    """State which ranker sorts for the editors; a new one has not sorted the newest list yet.

    Examples
    --------
    >>> sorts("presort-1", is_new=False), sorts("presort-1", is_new=True)
    ('presort-1 sorts for the editors.', 'presort-1 sorts for the editors from the next issue on.')
    """
    return f"{active} sorts for the editors{' from the next issue on' if is_new else ''}."


def partly_read(n: int, n_all: int) -> str:
    """Describe the bias of lists that were not fully read. Empty if there are none.

    The relevant paper that the ranker of the list put deepest may be unread, and then counts for no ranker.
    `benchmarks/read_order.py` measures the bias.

    Examples
    --------
    >>> print(partly_read(312, 1143))  # doctest: +NORMALIZE_WHITESPACE
    312 of 1,143 lists were not read to the end. They favour the ranker in whose order they were read. In tests, its
    lead was 2 to 4 points too large if 5 % of the lists had an unread relevant paper, 3 to 8 points if 10 % had one.
    >>> partly_read(0, 40)
    ''
    """
    if not n:
        return ""
    were, they_favour, they = ("was", "It favours", "it was") if n == 1 else ("were", "They favour", "they were")
    return (
        f"{n:,} of {counted(n_all, 'list')} {were} not read to the end. {they_favour} the ranker in whose order {they} "
        "read. In tests, its lead was 2 to 4 points too large if 5 % of the lists had an unread relevant paper, 3 to 8 "
        "points if 10 % had one."
    )


def basis(n_by_source: Mapping[str, int], n_cases: int) -> str:
    """Describe the conditions under which the compared rankings were made. Empty if the source is unknown.

    Parameters
    ----------
    n_by_source : mapping of str to int
        Comparable report issues of each source, that of the comparison first.
    n_cases : int
        Report issues that are compared.

    Examples
    --------
    >>> basis({"replay-13": 1143, "live": 52}, 1143)
    'Same conditions: 1,143 lists replayed, trained every 13 issues. Not counted: 52 lists ranked live.'
    >>> basis({"live": 52, "replay-1": 0}, 52)
    'Same conditions: 52 lists ranked live.'
    >>> basis({"live": 0, "replay-13": 0, "replay-1": 0}, 52)
    'Conditions differ: 52 lists from replays that were trained at different intervals.'
    """
    parts = [f"{counted(n, 'list')} {_source_named(source)}" for source, n in n_by_source.items() if n]
    if not parts:
        differ = f"Conditions differ: {counted(n_cases, 'list')} from replays that were trained at different intervals."
        return differ if n_by_source else ""
    others = f" Not counted: {', '.join(parts[1:])}." if parts[1:] else ""
    return f"Same conditions: {parts[0]}.{others}"


def _source_named(source: str) -> str:
    kind, _, trained_every = source.partition("-")
    if kind == REPLAY:
        return f"replayed, trained every {counted(int(trained_every), 'issue')}" if trained_every else "replayed"
    return "ranked live" if kind == LIVE else "ranked after publication"


def left_out(n: int, not_by_all: int, nothing_relevant: int) -> str:
    """Describe what is compared, and what is not.

    Examples
    --------
    >>> left_out(3208, 0, 0)
    '3,208 lists are compared.'
    >>> left_out(40, 2, 1)
    '40 lists are compared. Left out: 2 that not all of these rankers ranked alike, 1 with nothing relevant.'
    """
    numbers = {"that not all of these rankers ranked alike": not_by_all, "with nothing relevant": nothing_relevant}
    reasons = [f"{number:,} {reason}" for reason, number in numbers.items() if number]
    compared = f"{counted(n, 'list')} {'is' if n == 1 else 'are'} compared."
    return f"{compared} Left out: {', '.join(reasons)}." if reasons else compared


def no_case(not_by_all: int, nothing_relevant: int) -> str:
    """State that there is no report issue to compare on, and why.

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
