"""Sort issues for a subject on which there is no report yet, by examples of it alone.

Learning one more report takes a whole training. Here the model of the existing reports stays unchanged. The hidden
layers of its networks have learned features that distinguish reports, so papers on one subject are similar there. A
paper's score is its similarity to the examples. No model is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from presort.data.records import History, Model, Paper
from presort.ranker.gather import gather
from presort.ranker.recipe import ModelStore, Recipe, Table
from presort.ranker.stacked.explain import CorrectedExplainer
from presort.ranker.stacked.features import LENGTH, of_length_1
from presort.ranker.stacked.method import CorrectedSvms
from presort.ranker.stacked.model import FittedModel
from presort.ranker.stacked.network import DECIMALS, hidden_layer
from presort.ranker.tokens import tokens_of
from presort.ranker.train import rank_block

NOBODY = ""  # code of the report that does not exist; none that does can have it
OF_TERMS = 0.25  # weight of common terms relative to similarity
FARTHEST = 3.0  # standard deviations; a unit that hardly any paper of an issue moves is not to outweigh the others


class UnknownExampleError(ValueError):
    """No paper that was learned from has a word of this example."""

    def __init__(self, example: Paper) -> None:
        super().__init__(f"no word of the example {example.title!r} is known")
        self.example = example


class SortedPapers(NamedTuple):
    """An issue, sorted.

    Attributes
    ----------
    order : array of shape (n_papers,)
        Places in the list, from 0, best first.
    scores : array of shape (n_papers,) or (0,)
        In that order, falling; empty where list order was kept.
    """

    order: NDArray[np.int32]
    scores: Table


class Sorter(Protocol):
    """Sorter of issues by examples."""

    @property
    def n_reports(self) -> int:
        """Number of reports whose decisions were learned from."""

    def sort(self, examples: Sequence[Paper]) -> list[SortedPapers]:
        """Sort each issue; raise `UnknownExampleError` of an example that can't be read."""


def learn(recipe: Recipe, history: History, first: int, models: ModelStore) -> Sorter:
    """Train on the data before an issue, to sort it and all later ones. This may take a while.

    Parameters
    ----------
    recipe : Recipe
        The way to rank.
    history : History
        Decisions on issues from `first` on are not learned from. What editors gave as examples is: leave out
        what was given later.
    first : int
        The issue, counted from 0.
    models : ModelStore
        A model that was trained by then is used; nothing is put there.
    """
    if isinstance(recipe.method, CorrectedSvms):
        model = _stored_model(models, recipe, recipe.method, history.issues[: first + 1])
        settled = history if model is None else _only(history, model.trained_on["reports"])
        task = gather(recipe.name, settled, first, len(history.issues), [], {}, _OneModel(model)).task
        if task.decided:
            sizes = np.diff(history.starts[first:]).tolist()
            return _seen(recipe.method.plain().explainer(task), sizes, len(task.decided))
    return _Alone(recipe, replace(history, relevant={}, maybe={}), first)


@dataclass(frozen=True)
class _OneModel:
    """Read-only model store with at most one model, because models trained here are not the service's."""

    model: Model | None

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        return self.model

    def refuse(self, model: Model, fault: str) -> None:
        raise RuntimeError(f"the model at hand {fault}")

    def keep(self, model: Model) -> None:
        pass


def _stored_model(models: ModelStore, recipe: Recipe, method: CorrectedSvms, days: Sequence[date]) -> Model | None:
    """Find the newest model of the issues before the last of some days."""
    found = (method.kept(models, recipe.name, day) for day in reversed(days))
    return next((model for model in found if model is not None), None)


def _only(history: History, reports: Sequence[str]) -> History:
    """Leave out reports that a model does not know: with them, everything would have to be trained again."""
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
    n_reports: int = 0

    def sort(self, examples: Sequence[Paper]) -> list[SortedPapers]:
        history = replace(self.history, seeds={NOBODY: examples})
        ranked = rank_block(self.recipe, history, self.first, len(history.issues), [NOBODY])
        return [SortedPapers(one.order, one.scores) for one in ranked]


@dataclass(frozen=True, eq=False)
class _Seen:
    """Sorter with the model of all reports.

    Attributes
    ----------
    learned : FittedModel
    usual : array of shape (n_inputs,)
        Inputs of the networks for the average paper.
    terms : list of CSR arrays of shape (n_papers, n_terms)
        Of each issue.
    hidden : list of arrays of shape (n_papers, n_units)
        Outputs of the hidden layers for the papers of each issue.
    n_reports : int
        Number of reports.
    """

    learned: FittedModel
    usual: Table
    terms: Sequence[Any]
    hidden: Sequence[Table]
    n_reports: int

    def sort(self, examples: Sequence[Paper]) -> list[SortedPapers]:
        X = self.learned.fields.rows(tokens_of(examples))
        unread = np.flatnonzero(np.diff(X.indptr) == 0)
        if len(unread):
            raise UnknownExampleError(examples[unread[0]])
        hidden, terms = _hidden(self.learned, self._inputs(X)), X.mean(axis=0)
        return [
            _sorted(_standard(_likeness(of_issue, hidden)) + OF_TERMS * _standard(of_terms @ terms))
            for of_issue, of_terms in zip(self.hidden, self.terms, strict=True)
        ]

    def _inputs(self, X: Any) -> Table:
        """Return the networks' inputs for examples. Their unknown authors get average values."""
        of_reports = self.learned.margins(X)
        seen = np.hstack([of_reports[:, : self.learned.n_read], LENGTH * self.learned.topics.of(X)])
        return np.hstack([seen, np.tile(self.usual[seen.shape[1] :], (len(seen), 1))])


def _seen(explainer: CorrectedExplainer, sizes: Sequence[int], n_reports: int) -> _Seen:
    ends = np.cumsum(sizes).tolist()
    parts = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    hidden = _hidden(explainer.learned, explainer.inputs)
    return _Seen(
        explainer.learned,
        explainer.inputs.mean(axis=0),
        [explainer.X[part] for part in parts],
        [hidden[part] for part in parts],
        n_reports,
    )


def _hidden(learned: FittedModel, inputs: Table) -> Table:
    return np.hstack([hidden_layer(network, inputs) for network in learned.networks])


def _likeness(papers: Table, examples: Table) -> Table:
    """Return the mean cosine of each paper with the examples, each unit seen against the papers of the issue."""
    mean, spread = papers.mean(axis=0), papers.std(axis=0) + 1e-6

    def directions(hidden: Table) -> Table:
        return of_length_1(np.clip((hidden - mean) / spread, -FARTHEST, FARTHEST))

    likeness: Table = directions(papers) @ directions(examples).mean(axis=0)
    return likeness


def _standard(scores: Table) -> Table:
    standard: Table = (scores - scores.mean()) / (scores.std() or 1.0)
    return standard


def _sorted(scores: Table) -> SortedPapers:
    scores = scores.round(DECIMALS)
    order = np.argsort(-scores, kind="stable").astype(np.int32)  # ties keep list order
    return SortedPapers(order, scores[order])
