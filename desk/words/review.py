"""What the Review page says around its list."""

from data.records import Hints, Ranking, Word
from desk.words.text import counted
from desk.words.why import hints_say, learned_says

TITLE = "Review"
ORDER = "Order"
PRESORT, RECEIVED = "presort", "as received"
WORDS: dict[Word, str] = {"yes": "✓ relevant", "maybe": "? maybe", "no": "✗ no"}
NO_AUTHOR = "no author given"
ABSTRACT = "Abstract"
NO_ABSTRACT = "Details (no abstract)"
FINISH = "Finish this report"
NO_LIGHT = "no traffic light: in list order, it can't tell how far to read"


def asked(title: str) -> str:
    """Ask for a decision."""
    return f"Relevant? {title}"


def not_saved(why: object) -> str:
    """Say that something was not saved."""
    return f"Not saved: {why}"


def decided(counts: dict[Word, int]) -> str:
    """Say how often each word was said.

    Examples
    --------
    >>> decided({"yes": 9, "maybe": 2, "no": 0})
    '9 relevant · 2 maybe · 0 no · saved'
    """
    return f"{counts['yes']} relevant · {counts['maybe']} maybe · {counts['no']} no · saved"


def source(n_papers: int, ranking: Ranking | None, heeded: Hints) -> str:
    """Say what a list is sorted by; `heeded` are the hints that counted for it.

    Examples
    --------
    >>> source(612, None, Hints())
    '612 papers, as received'
    """
    if ranking is None:
        return f"{counted(n_papers, 'paper')}, as received"
    told = hints_say(heeded)
    learned = f"{counted(n_papers, 'paper')}, sorted by {ranking.ranker}, from {learned_says(ranking, heeded)}"
    return f"{learned}, {told}" if told else learned
