"""Sort past issues for a subject on which there is no report yet, by examples of it alone.

To learn one report more takes a whole training. Here all that was learned for the reports there are stays as it is. The
hidden layers of the networks learned to tell apart what reports tell apart, so papers on one subject look alike there,
and a paper scores by how much it looks like the examples. Nothing is written to the workspace.
"""

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from data import catalogue
from data.errors import RefusedError
from data.hints import MAX_TEXT, add_hint
from data.importers.rows import REPORT_CODE, clean
from data.messages import kept_text
from data.records import History, Model, Paper, Report
from data.store import Store
from desk.shelf import models_of
from ranker.corrected import PERIOD, CorrectedMachines
from ranker.evidence import LENGTH
from ranker.explain_corrected import CorrectedExplainer
from ranker.gather import gather
from ranker.learned import LAYOUT, Learned
from ranker.machines import margins
from ranker.network import DECIMALS
from ranker.recipe import Recipe, Shelf, Table
from ranker.tokens import tokens_of
from ranker.topics import of_length_1
from ranker.train import rank_block

MOST_ISSUES = 12
LONGEST_QUOTE = 60  # characters
NOBODY = ""  # code of the report that does not exist; none that does can have it
OF_TERMS = 0.25  # what terms in common count beside looking alike
FARTHEST = 3.0  # standard deviations; a unit that hardly any paper of an issue moves is not to outweigh the others

Order = NDArray[np.int32]


@dataclass(frozen=True, eq=False)
class SortedIssue:
    """An issue with its papers, likeliest relevant first, and their scores, falling; none in list order."""

    date: date
    papers: Sequence[Paper]
    scores: Table


class Sorter(Protocol):
    """What sorts the issues at hand by examples."""

    def sort(self, examples: Sequence[Paper]) -> list[tuple[Order, Table]]:
        """Give of each issue the places in its list, from 0, best first, and the scores in that order."""


@dataclass(frozen=True, eq=False)
class Past:
    """Past issues, ready to be sorted.

    Attributes
    ----------
    issues : mapping from date to sequence of Paper
        Oldest first, each in list order.
    n_reports : int
        Reports whose decisions on issues before the first of these were learned from.
    sorter : Sorter
        Knows nothing of any later decision.
    """

    issues: Mapping[date, Sequence[Paper]]
    n_reports: int
    sorter: Sorter


def learn_past(store: Store, recipe: Recipe, n_issues: int) -> Past:
    """Take the newest issues, and learn what the service knew before the first of them; it may take a while.

    A model at hand that was trained by then is used. It is best kept for many calls of `sort_past`.

    Parameters
    ----------
    store : Store
        The workspace, in which there is an issue.
    recipe : Recipe
        The way to rank.
    n_issues : int
        From 1; where there are not more issues than that, the oldest is left to learn from.

    Raises
    ------
    DataError
        If a model at hand is damaged, or was made by another version of the ranker.
    """
    if n_issues < 1:
        raise ValueError(f"n_issues must be at least 1, got {n_issues}")
    days = [issue.date for issue in catalogue.issues(store)]
    history = replace(catalogue.history(store, days[-1], tokens=True), seeds={})  # editors gave them who knows when
    first = max(len(days) - n_issues, min(1, len(days) - 1))
    starts = history.starts.tolist()
    issues = {history.issues[n]: history.papers[starts[n] : starts[n + 1]] for n in range(first, len(days))}
    if isinstance(recipe.method, CorrectedMachines):
        model = _model_at_hand(store, recipe, recipe.method, history.issues[first // PERIOD * PERIOD])
        settled = history if model is None else _only(history, model.trained_on["reports"])
        task = gather(recipe.name, settled, first, len(days), [], {}, _AtHand(model)).task
        if task.decided:
            return Past(issues, len(task.decided), _seen(recipe.method.explainer(task), list(issues.values())))
    return Past(issues, 0, _Alone(recipe, replace(history, relevant={}, maybe={}), first))


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
    found = [
        SortedIssue(day, [papers[place] for place in order.tolist()], scores)
        for (day, papers), (order, scores) in zip(past.issues.items(), past.sorter.sort(examples), strict=True)
    ]
    return found[::-1]


def example(text: str) -> str:
    """Give a text as an example: plain lines, as they would be kept for a report.

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
    """Add a report that begins with examples.

    Raises
    ------
    RefusedError
        If the code is none, or is or was another report's.
    """
    report = Report(clean(code), clean(name) or clean(code))
    if not REPORT_CODE.fullmatch(report.code):
        raise RefusedError(f"{report.code!r} is no report code: use letters, digits, '.', '-' and '_', at most 64.")
    if report.code in {known.code for known in catalogue.reports(store, retired=True)}:  # one brought back has a past
        raise RefusedError(f"There is or was a report {report.code!r} already; choose another code.")
    catalogue.add_reports(store, [report])
    for seed in seeds:
        add_hint(store, report.code, "seed", seed, person=person)
    return report


@dataclass(frozen=True)
class _AtHand:
    """A shelf with one model at most, on which nothing is put: what is learned here is not the service's."""

    model: Model | None

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        return self.model

    def keep(self, model: Model) -> None:
        pass


def _model_at_hand(store: Store, recipe: Recipe, method: CorrectedMachines, trained_before: date) -> Model | None:
    shelf: Shelf = models_of(store)
    return shelf.find(recipe.name, trained_before, LAYOUT, method.settings())


def _only(history: History, reports: Sequence[str]) -> History:
    """Leave out reports that a model does not know: with them, all would have to be learned anew."""
    relevant, maybe = (
        {report: rows for report, rows in of_reports.items() if report in reports}
        for of_reports in (history.relevant, history.maybe)
    )
    return replace(history, relevant=relevant, maybe=maybe)


@dataclass(frozen=True, eq=False)
class _Alone:
    """Sorts for a service in which nothing was learned: as its first report would be, from the examples."""

    recipe: Recipe
    history: History
    first: int

    def sort(self, examples: Sequence[Paper]) -> list[tuple[Order, Table]]:
        history = replace(self.history, seeds={NOBODY: examples})
        ranked = rank_block(self.recipe, history, self.first, len(history.issues), [NOBODY])
        return [(one.order, one.scores) for one in ranked]


@dataclass(frozen=True, eq=False)
class _Seen:
    """Sorts by what was learned for all reports.

    Attributes
    ----------
    learned : Learned
    usual : array of shape (n_inputs,)
        What the networks see of the average paper.
    terms : list of CSR arrays of shape (n_papers, n_terms)
        Of each issue.
    hidden : list of arrays of shape (n_papers, n_units)
        What the hidden layers make of the papers of each issue.
    """

    learned: Learned
    usual: Table
    terms: Sequence[Any]
    hidden: Sequence[Table]

    def sort(self, examples: Sequence[Paper]) -> list[tuple[Order, Table]]:
        X = self.learned.fields.rows(tokens_of(examples))
        unread = np.flatnonzero(np.diff(X.indptr) == 0)
        if len(unread):
            raise RefusedError(
                f"No paper so far has a word of the example {_quoted(examples[unread[0]])}; take it back."
            )
        hidden, terms = _hidden(self.learned, self._inputs(X)), X.mean(axis=0)
        return [
            _sorted(_standard(_likeness(of_issue, hidden)) + OF_TERMS * _standard(of_terms @ terms))
            for of_issue, of_terms in zip(self.hidden, self.terms, strict=True)
        ]

    def _inputs(self, X: Any) -> Table:
        """Give what the networks see of examples, of whose authors nothing is known: they are as usual."""
        of_reports = (margins(X, self.learned.weights) - self.learned.mean) / self.learned.spread
        seen = np.hstack([of_reports, LENGTH * self.learned.topics.of(X)])
        return np.hstack([seen, np.tile(self.usual[seen.shape[1] :], (len(seen), 1))])


def _quoted(paper: Paper) -> str:
    return repr(textwrap.shorten(paper.title, LONGEST_QUOTE, placeholder="…"))


def _seen(explainer: CorrectedExplainer, issues: Sequence[Sequence[Paper]]) -> _Seen:
    ends = np.cumsum([len(papers) for papers in issues]).tolist()
    parts = [slice(end - len(papers), end) for end, papers in zip(ends, issues, strict=True)]
    hidden = _hidden(explainer.learned, explainer.inputs)
    return _Seen(
        explainer.learned,
        explainer.inputs.mean(axis=0),
        [explainer.X[part] for part in parts],
        [hidden[part] for part in parts],
    )


def _hidden(learned: Learned, inputs: Table) -> Table:
    return np.hstack([np.maximum(inputs @ into + bias, 0) for into, bias, *_ in learned.networks])


def _likeness(papers: Table, examples: Table) -> Table:
    """Give the mean cosine of each paper with the examples, once each unit is seen against the papers of the issue."""
    mean, spread = papers.mean(axis=0), papers.std(axis=0) + 1e-6

    def directions(hidden: Table) -> Table:
        return of_length_1(np.clip((hidden - mean) / spread, -FARTHEST, FARTHEST))

    likeness: Table = directions(papers) @ directions(examples).mean(axis=0)
    return likeness


def _standard(scores: Table) -> Table:
    standard: Table = (scores - scores.mean()) / (scores.std() or 1.0)
    return standard


def _sorted(scores: Table) -> tuple[Order, Table]:
    scores = scores.round(DECIMALS)
    order = np.argsort(-scores, kind="stable").astype(np.int32)  # ties keep list order
    return order, scores[order]
