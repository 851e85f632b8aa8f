"""What the page says on which a subject is tried on past issues, before there is a report on it."""

from collections.abc import Sequence
from datetime import date

from data.records import Paper
from desk.words.text import counted

TITLE = "Try a topic"
INTRODUCTION = (
    "See past issues sorted for a subject of yours, before there is a report on it. Say what it is about: a paragraph, "
    "a title with its abstract, or a few papers of past issues. Three do better than one."
)
NOTHING_KEPT = "This only shows: no decision is taken here, and your examples are gone once you leave Presort."
NO_ISSUE = "No issue yet to try a topic on. Import one with `presort import FILE`."
PASTE = "Paste a title and, below it, an abstract; or a paragraph on the subject"
ADD = "Add as example"
FIND = "Or take papers of past issues: words of the title"
NONE_FOUND = "No title has all of these words."
TAKE, TAKEN, TAKE_BACK = "Take", "taken", "Take back"
NO_EXAMPLE = "Give an example, and the newest issues stand here, sorted by it."
N_ISSUES = "Newest issues to sort"
LEARNING = "Reading what was learned by then; the first time this may take half a minute…"
NO_AUTHOR = "no author given"
MORE = "Show more"
BEGIN = "Begin a report with these"
BEGIN_SAYS = "The report is added for everybody, with your examples to learn from."
CODE = "Code, such as nep-lab"
NAME = "Name"
ADD_REPORT = "Begin the report"
TO_REVIEW = "Review its newest issue"

LONGEST = 300  # characters of a title, or of an abstract on one line
BAR = 6  # blocks


def sorted_by(ranker: str, n_reports: int, first: date, n_examples: int) -> str:
    """Say what issues are sorted by.

    Parameters
    ----------
    ranker : str
        Name of the recipe.
    n_reports : int
        Reports whose decisions were learned from; 0 if there was nothing to learn.
    first : date
        Decisions on issues from this one on were not seen.
    n_examples : int
        From 1.

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


def issue_named(day: date, n_papers: int) -> str:
    """Name an issue.

    Examples
    --------
    >>> issue_named(date(2026, 11, 16), 612)
    '2026-11-16 · 612 papers'
    """
    return f"{day} · {counted(n_papers, 'paper')}"


def found_named(paper: Paper, day: date) -> str:
    """Name a paper that a search found, and its issue."""
    return f"{day} · {on_one_line(paper.title)}"


def on_one_line(text: str) -> str:
    r"""Give the beginning of a text.

    Examples
    --------
    >>> on_one_line("Wages\nWe show."), len(on_one_line("wage " * 1_000))
    ('Wages We show.', 300)
    """
    line = " ".join(text.split())
    return line if len(line) <= LONGEST else f"{line[: LONGEST - 1]}…"


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


def examples_counted(n: int) -> str:
    """Say how many examples there are.

    Examples
    --------
    >>> examples_counted(1), examples_counted(3)
    ('Your example', 'Your 3 examples')
    """
    return "Your example" if n == 1 else f"Your {n} examples"


def begun(code: str, n_examples: int) -> str:
    """Say that a report was begun.

    Examples
    --------
    >>> begun("nep-lab", 3)
    'The report nep-lab begins with 3 examples.'
    """
    return f"The report {code} begins with {counted(n_examples, 'example')}."
