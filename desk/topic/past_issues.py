"""Past issues tried by examples of a subject, and a report that begins with them. Trying writes nothing."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from presort.data import catalogue
from presort.data.editing.hints import MAX_TEXT, add_report_with_examples
from presort.data.editing.notes import kept_text
from presort.data.errors import RefusedError
from presort.data.learning.array_file import in_memory
from presort.data.learning.history import read_history
from presort.data.learning.models import model_store
from presort.data.records import REPORT_CODE, Paper, Report
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.text import counted
from presort.ranker.recipe import Recipe, Table
from presort.ranker.stacked.by_example import Sorter, UnknownExampleError, learn
from presort.ranker.tokens import TOKENISATION

MOST_ISSUES = 12
LONGEST_QUOTE = 60  # characters
BAR = 6  # blocks


@dataclass(frozen=True, eq=False)
class SortedIssue:
    """An issue with its papers, likeliest relevant first, and their scores, falling; none in list order."""

    date: date
    papers: Sequence[Paper]
    scores: Table


@dataclass(frozen=True, eq=False)
class Past:
    """Past issues, ready to be sorted.

    Attributes
    ----------
    issues : mapping from date to sequence of Paper
        Oldest first, each in list order.
    sorter : Sorter
        Knows what was decided on issues before the first of these, and nothing of any later decision.
    """

    issues: Mapping[date, Sequence[Paper]]
    sorter: Sorter


def learn_past(store: Store, recipe: Recipe, n_issues: int) -> Past:
    """Select the newest issues, and train on the service's data before the first of them. This may take a while.

    A model at hand that was trained by then is used. It is best kept for many calls of `sort_past`.

    Parameters
    ----------
    store : Store
        The workspace, in which there is an issue.
    recipe : Recipe
        The way to rank.
    n_issues : int
        From 1; where there are not more issues than that, the oldest is left to learn from.
    """
    if n_issues < 1:
        raise ValueError(f"n_issues must be at least 1, got {n_issues}")
    days = [issue.date for issue in catalogue.issues(store)]
    history = replace(read_history(store, days[-1], tokens=TOKENISATION), seeds={})  # editors gave them who knows when
    first = max(len(days) - n_issues, min(1, len(days) - 1))
    starts = history.starts.tolist()
    issues = {history.issues[n]: history.papers[starts[n] : starts[n + 1]] for n in range(first, len(days))}
    return Past(issues, learn(recipe, history, first, model_store(store, held=in_memory)))


def sort_past(past: Past, seeds: Sequence[str]) -> list[SortedIssue]:
    """Sort issues by examples, newest issue first.

    Parameters
    ----------
    past : Past
    seeds : sequence of str
        At least one, as `example` gives them: a title, and from the second line on an abstract.

    Raises
    ------
    RefusedError
        If no paper that was learned from has a word of one of them.
    """
    if not seeds:
        raise ValueError("seeds must be one or more")
    parts = [seed.partition("\n") for seed in seeds]
    examples = [Paper(f"example {number}", title, rest) for number, (title, _, rest) in enumerate(parts, start=1)]
    try:
        ranked = past.sorter.sort(examples)
    except UnknownExampleError as error:
        title = textwrap.shorten(error.example.title, LONGEST_QUOTE, placeholder="…")
        raise RefusedError(f"No paper so far has a word of the example {title!r}; take it back.") from error
    found = [
        SortedIssue(day, [papers[place] for place in one.order.tolist()], one.scores)
        for (day, papers), one in zip(past.issues.items(), ranked, strict=True)
    ]
    return found[::-1]


def example(text: str) -> str:
    """Return a text as an example: plain lines, in the form stored for a report.

    Raises
    ------
    RefusedError
        If it is empty or too long.
    """
    kept = kept_text(text, "An example", MAX_TEXT)
    if not kept:
        raise RefusedError("An example needs a text: paste a title and an abstract, or a paragraph on the subject.")
    return kept


def begin_report(store: Store, code: str, name: str, seeds: Sequence[str], *, person: str) -> Report:
    """Add a report that begins with examples, all or nothing.

    Raises
    ------
    RefusedError
        If the code is none, or is or was another report's.
    """
    report = Report(clean(code), clean(name) or clean(code))
    if not REPORT_CODE.fullmatch(report.code):
        raise RefusedError(f"{report.code!r} is no report code: use letters, digits, '.', '-' and '_', at most 64.")
    add_report_with_examples(store, report, seeds, person=person)
    return report


def basis_says(ranker: str, n_reports: int, first: date, n_examples: int) -> str:
    """Describe the basis of the order: examples, and the reports that a ranker was trained on before a day.

    Examples
    --------
    >>> print(basis_says("presort-1", 65, date(2026, 11, 2), 3))
    By your 3 examples, and what presort-1 had learned from the decisions of 65 reports on issues before 2026-11-02; \
none on a later issue was seen. A report once begun is learned for itself, so its order will differ.
    >>> print(basis_says("presort-1", 0, date(2026, 11, 2), 1))
    By your example alone: before 2026-11-02 no report had decided enough to learn from. A report once begun is \
learned for itself, so its order will differ.
    """
    yours = "your example" if n_examples == 1 else f"your {n_examples} examples"
    then = "A report once begun is learned for itself, so its order will differ."
    if not n_reports:
        return f"By {yours} alone: before {first} no report had decided enough to learn from. {then}"
    of_reports = f"the decisions of {counted(n_reports, 'report')} on issues before {first}"
    return f"By {yours}, and what {ranker} had learned from {of_reports}; none on a later issue was seen. {then}"


def score_bar(scores: Sequence[float], place: int) -> str:
    """Draw a bar with the position of a score between the best and the worst of an issue.

    Examples
    --------
    >>> [score_bar([9.0, 4.0, 1.0], place) for place in (1, 2, 3)], score_bar([2.0], 1)
    (['▮▮▮▮▮▮', '▮▮', '▮'], '▮▮▮▮▮▮')
    """
    high, low = scores[0], scores[-1]
    share = (scores[place - 1] - low) / (high - low) if high > low else 1.0
    return "▮" * max(1, round(share * BAR))
