"""What the Review page says around its list."""

from presort.data.records import Hints, Label, Ranking
from presort.desk.text import counted
from presort.desk.why.words import hints_say, learned_says

PRESORT, RECEIVED = "presort", "as received"
ADVICE_READY = "Stop advice is ready: it now uses the past issues."
WORDS: dict[Label, str] = {"yes": "✓ relevant", "maybe": "? maybe", "no": "✗ no"}


def source(n_papers: int, ranking: Ranking | None, used_hints: Hints) -> str:
    """Describe what a list is sorted by; `used_hints` are the hints that counted for it.

    Examples
    --------
    >>> source(612, None, Hints())
    '612 papers, as received'
    """
    if ranking is None:
        return f"{counted(n_papers, 'paper')}, as received"
    hints_text = hints_say(used_hints)
    learned = f"{counted(n_papers, 'paper')}, sorted by {ranking.ranker}, from {learned_says(ranking, used_hints)}"
    return f"{learned}, {hints_text}" if hints_text else learned


def preparing(n_missing: int, progress: tuple[int, int] | None) -> str:
    """Describe the progress of ranking past lists.

    Examples
    --------
    >>> preparing(715, None)
    'Preparing stop advice: 715 past lists to rank. This page refreshes when it is ready.'
    >>> preparing(390, (325, 715))
    'Preparing stop advice: 325 of 715 past lists ranked. This page refreshes when it is ready.'
    """
    lists = counted(n_missing, "past list")
    far = f"{progress[0]:,} of {counted(progress[1], 'past list')} ranked" if progress else f"{lists} to rank"
    return f"Preparing stop advice: {far}. This page refreshes when it is ready."


def not_prepared(n_missing: int, reason: str) -> str:
    """Explain why past lists could not be ranked."""
    return f"Stop advice lacks {counted(n_missing, 'past list')}: ranking failed. {reason}"
