"""What the Review page says around its list."""

from data.records import Hints, Ranking, Word
from desk.text import counted
from desk.why.words import hints_say, learned_says

PRESORT, RECEIVED = "presort", "as received"
WORDS: dict[Word, str] = {"yes": "✓ relevant", "maybe": "? maybe", "no": "✗ no"}


def source(n_papers: int, ranking: Ranking | None, heeded: Hints) -> str:
    """Describe what a list is sorted by; `heeded` are the hints that counted for it.

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
