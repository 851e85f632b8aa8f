"""What the page says on which a subject is tried on past issues, before there is a report on it."""

from collections.abc import Sequence
from datetime import date

from presort.desk.text import counted

BAR = 6  # blocks


def sorted_by(ranker: str, n_reports: int, first: date, n_examples: int) -> str:
    """Describe what issues are sorted by: examples, and what a ranker learned from reports before a day.

    Examples
    --------
    >>> print(sorted_by("presort-1", 65, date(2026, 11, 2), 3))
    By your 3 examples, and what presort-1 had learned from the decisions of 65 reports on issues before 2026-11-02; \
none on a later issue was seen. A report once begun is learned for itself, so its order will differ.
    >>> print(sorted_by("presort-1", 0, date(2026, 11, 2), 1))
    By your example alone: before 2026-11-02 no report had decided enough to learn from. A report once begun is \
learned for itself, so its order will differ.
    """
    yours = "your example" if n_examples == 1 else f"your {n_examples} examples"
    then = "A report once begun is learned for itself, so its order will differ."
    if not n_reports:
        return f"By {yours} alone: before {first} no report had decided enough to learn from. {then}"
    of_reports = f"the decisions of {counted(n_reports, 'report')} on issues before {first}"
    return f"By {yours}, and what {ranker} had learned from {of_reports}; none on a later issue was seen. {then}"


def bar(scores: Sequence[float], place: int) -> str:
    """Draw how a score stands between the best and the worst of an issue.

    Examples
    --------
    >>> [bar([9.0, 4.0, 1.0], place) for place in (1, 2, 3)], bar([2.0], 1)
    (['▮▮▮▮▮▮', '▮▮', '▮'], '▮▮▮▮▮▮')
    """
    high, low = scores[0], scores[-1]
    share = (scores[place - 1] - low) / (high - low) if high > low else 1.0
    return "▮" * max(1, round(share * BAR))
