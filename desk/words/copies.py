"""What the Review page says about papers that came in once more."""

from collections.abc import Collection
from datetime import date

from data.copies import Copy
from data.plain_words import plain_words
from data.records import Word
from desk.words.text import counted

SEPARATE = "Not the same: put it in the list"
MORE = "Show more"
SEPARATED = "It stands at the end of the list now."
SAID: dict[Word, str] = {"yes": "you chose it", "no": "you passed it over", "maybe": "you were not sure"}
NOT_DECIDED = "not decided yet"


def head(n_copies: int) -> str:
    """Name the box.

    Examples
    --------
    >>> head(1), head(12)
    ('1 paper you have seen before', '12 papers you have seen before')
    """
    return f"{counted(n_copies, 'paper')} you have seen before"


def also_as(copy: Copy) -> str:
    """Say what a paper is a copy of.

    Examples
    --------
    >>> from data.records import Paper
    >>> known = Paper("p1", "Minimum wages", series="Papers of X")
    >>> also_as(Copy(Paper("q1", "Minimum Wages"), known, "doi", 1.0, ()))
    'also as Papers of X'
    >>> also_as(Copy(Paper("q1", "Minimun wages", series="Papers of X"), known, "doi", 0.9, ()))
    'also as p1, “Minimum wages”'
    """
    paper, known = copy.paper, copy.known
    name = known.series if known.series not in ("", paper.series) else known.paper_id
    is_called_so = plain_words(known.title) == plain_words(paper.title)
    return f"also as {name}" if is_called_so else f"also as {name}, “{known.title}”"


def seen(listed: date, issue: date, word: Word | None, issued: Collection[date]) -> str:
    """Say where the known paper is listed, and what became of it there.

    Parameters
    ----------
    listed, issue : date
        The issue that lists the known paper, and the one that is looked at.
    word : Word or None
        What was said of it there.
    issued : collection of date
        Of the issues from which the report has gone out.

    Examples
    --------
    >>> seen(date(2026, 11, 9), date(2026, 11, 16), None, [date(2026, 11, 9)])
    'seen in issue 2026-11-09: you passed it over'
    """
    if listed == issue:
        return "it stands in this list"
    passed_over = SAID["no"] if listed in issued else NOT_DECIDED
    return f"seen in issue {listed}: {SAID.get(word, passed_over) if word else passed_over}"
