"""Rank past issues by examples of a subject, and create a report from the examples. Ranking doesn't save anything."""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date

from presort.data import catalogue
from presort.data.editing.hints import MAX_TEXT, add_report_with_examples
from presort.data.editing.new_reports import validate_report
from presort.data.editing.notes import clean_lines
from presort.data.errors import RefusedError
from presort.data.learning.array_file import copy_file
from presort.data.learning.history import read_history
from presort.data.learning.models import model_store
from presort.data.records import Paper, Report
from presort.data.store import Store
from presort.desk.text import count_text
from presort.ranker.recipe import Recipe, Table
from presort.ranker.stacked.by_example import Sorter, UnknownExampleError, learn
from presort.ranker.tokens import TOKENISATION

MOST_ISSUES = 12
LONGEST_QUOTE = 60  # characters
BAR = 6  # blocks


@dataclass(frozen=True, eq=False)
class SortedIssue:
    """Issue with its papers, sorted by descending likelihood of relevance, and their scores in the same order.

    `scores` is empty if the papers are in list order.
    """

    date: date
    papers: Sequence[Paper]
    scores: Table


@dataclass(frozen=True, eq=False)
class PastIssues:
    """Past issues, with a trained sorter for their papers.

    Attributes
    ----------
    issues : mapping from date to sequence of Paper
        Papers of each issue in list order, oldest issue first.
    sorter : Sorter
        Sorter that was trained only on decisions about issues before the first of `issues`.
    """

    issues: Mapping[date, Sequence[Paper]]
    sorter: Sorter


def learn_past(store: Store, recipe: Recipe, n_issues: int) -> PastIssues:
    """Select the newest issues, and train a sorter on the issues before them.

    Training is slow, unless the workspace has a stored model that was trained only on issues before the selected ones.
    Reuse the result in repeated calls of `sort_past`.

    Parameters
    ----------
    store : Store
        Workspace with at least one issue.
    recipe : Recipe
        Ranking method.
    n_issues : int
        Number of issues to select, at least 1. If this includes the workspace's oldest issue, that issue is used for
        training instead, unless it is the only issue.
    """
    if n_issues < 1:
        raise ValueError(f"n_issues must be at least 1, got {n_issues}")
    days = [issue.date for issue in catalogue.issues(store)]
    # Reports' examples are dropped, because they may have been added after the selected issues.
    history = replace(read_history(store, days[-1], tokens=TOKENISATION), seeds={})
    first = max(len(days) - n_issues, min(1, len(days) - 1))
    starts = history.starts.tolist()
    issues = {history.issues[n]: history.papers[starts[n] : starts[n + 1]] for n in range(first, len(days))}
    return PastIssues(issues, learn(recipe, history, first, model_store(store, access=copy_file)))


def sort_past(past: PastIssues, seeds: Sequence[str]) -> list[SortedIssue]:
    """Rank issues by examples, newest issue first.

    Parameters
    ----------
    past : PastIssues
        Issues to rank.
    seeds : sequence of str
        Results of `example`, at least one. Each has the title in its first line, followed by the abstract.

    Raises
    ------
    RefusedError
        If none of an example's words occurs in the training papers.
    """
    if not seeds:
        raise ValueError("seeds must have at least one example")
    parts = [seed.partition("\n") for seed in seeds]
    examples = [Paper(f"example {number}", title, rest) for number, (title, _, rest) in enumerate(parts, start=1)]
    try:
        ranked = past.sorter.sort(examples)
    except UnknownExampleError as error:
        title = textwrap.shorten(error.example.title, LONGEST_QUOTE, placeholder="…")
        raise RefusedError(f"No earlier paper shares a word with the example {title!r}. Remove the example.") from error
    found = [
        SortedIssue(day, [papers[place] for place in one.order.tolist()], one.scores)
        for (day, papers), one in zip(past.issues.items(), ranked, strict=True)
    ]
    return found[::-1]


def example(text: str) -> str:
    """Normalise an example's text to the form in which reports' examples are stored.

    Raises
    ------
    RefusedError
        If the text is empty or too long.
    """
    kept = clean_lines(text, "An example", MAX_TEXT)
    if not kept:
        raise RefusedError("The example is empty. Paste a title and an abstract, or a paragraph about the subject.")
    return kept


def begin_report(store: Store, code: str, name: str, seeds: Sequence[str], *, person: str) -> Report:
    """Create a report with its examples, in one transaction.

    Raises
    ------
    RefusedError
        If the code is invalid, if a current or retired report has the same code, or if an example is empty or too long.
    """
    report = validate_report(code, name)
    add_report_with_examples(store, report, seeds, person=person)
    return report


def basis_text(ranker: str, n_reports: int, first: date, n_examples: int) -> str:
    """Describe what the order is based on: the examples, and the reports that the ranker was trained on.

    Examples
    --------
    >>> print(basis_text("presort-1", 65, date(2026, 11, 2), 3))
    Ranked by your 3 examples and by presort-1, trained on the decisions of 65 reports on issues before 2026-11-02. \
A new report gets its own model, so its order will differ.
    >>> print(basis_text("presort-1", 0, date(2026, 11, 2), 1))
    Ranked by your example only: before 2026-11-02, no report had enough decisions to train on. \
A new report gets its own model, so its order will differ.
    """
    yours = "your example" if n_examples == 1 else f"your {n_examples} examples"
    then = "A new report gets its own model, so its order will differ."
    if not n_reports:
        return f"Ranked by {yours} only: before {first}, no report had enough decisions to train on. {then}"
    of_reports = f"the decisions of {count_text(n_reports, 'report')} on issues before {first}"
    return f"Ranked by {yours} and by {ranker}, trained on {of_reports}. {then}"


def score_bar(scores: Sequence[float], place: int) -> str:
    """Draw a bar whose length shows where a score lies between the issue's lowest and highest scores.

    Examples
    --------
    >>> [score_bar([9.0, 4.0, 1.0], place) for place in (1, 2, 3)], score_bar([2.0], 1)
    (['▮▮▮▮▮▮', '▮▮', '▮'], '▮▮▮▮▮▮')
    """
    high, low = scores[0], scores[-1]
    share = (scores[place - 1] - low) / (high - low) if high > low else 1.0
    return "▮" * max(1, round(share * BAR))
