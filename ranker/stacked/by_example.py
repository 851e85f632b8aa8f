"""Ranking for a subject that has no report, based only on example papers.

Adding a report to the model would require training. Here, the model of the existing reports remains unchanged. A
paper's score is its similarity to the examples, which is measured by the networks' hidden units, by the margins for the
existing reports, and by terms. No model is stored.
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
from presort.ranker.stacked.explain import NetworkExplainer
from presort.ranker.stacked.features import LENGTH
from presort.ranker.stacked.method import CorrectedSvms
from presort.ranker.stacked.model import FittedModel
from presort.ranker.stacked.network import DECIMALS
from presort.ranker.stacked.similarity import scale_of
from presort.ranker.tokens import tokens_of
from presort.ranker.train import rank_block

NOBODY = ""  # code of the hypothetical report, which no real report can have
OF_TERMS = 0.3  # weight of term similarity, relative to hidden-unit similarity and to margin similarity


class UnknownExampleError(ValueError):
    """Raised if an example has no term in common with the training papers."""

    def __init__(self, example: Paper) -> None:
        super().__init__(f"the example {example.title!r} has no word in common with past papers")
        self.example = example


class SortedPapers(NamedTuple):
    """Ranking of one issue.

    Attributes
    ----------
    order : array of shape (n_papers,)
        Indexes of the issue's papers, best first.
    scores : array of shape (n_papers,) or (0,)
        Scores in the same order, from highest to lowest. Empty if the papers are left in list order.
    """

    order: NDArray[np.int32]
    scores: Table


class Sorter(Protocol):
    """Ranker of issues by examples."""

    @property
    def n_reports(self) -> int:
        """Number of reports whose decisions the model was trained on."""

    def sort(self, examples: Sequence[Paper]) -> list[SortedPapers]:
        """Rank each issue. Raises `UnknownExampleError` if an example shares no term with the training papers."""


def learn(recipe: Recipe, history: History, first: int, models: ModelStore) -> Sorter:
    """Train on the data from before an issue, to rank that issue and later issues. This may take a while.

    Parameters
    ----------
    recipe : Recipe
        Recipe of the ranker.
    history : History
        Issues and decisions. Decisions on issue `first` and later issues are ignored. All of the editors' example
        papers are used, so the caller must remove examples that were added later.
    first : int
        0-based index of the first issue to rank.
    models : ModelStore
        Store that may contain a model that was trained before that issue. Nothing is written to it.
    """
    if isinstance(recipe.method, CorrectedSvms):
        model = _stored_model(models, recipe, recipe.method, history.issues[: first + 1])
        settled = history if model is None else _keep_reports(history, model.trained_on["reports"])
        task = gather(recipe.name, settled, first, len(history.issues), [], {}, _OneModel(model)).task
        if task.decided:
            sizes = np.diff(history.starts[first:]).tolist()
            return _model_sorter(recipe.method.plain().explainer(task), sizes, len(task.decided))
    return _ExampleSorter(recipe, replace(history, relevant={}, maybe={}), first)


@dataclass(frozen=True)
class _OneModel:
    """Read-only model store with at most one model, because models trained here must not be stored for the service."""

    model: Model | None

    def find(self, ranker: str, trained_before: date, layout: int, settings: Mapping[str, Any]) -> Model | None:
        return self.model

    def refuse(self, model: Model, fault: str) -> None:
        raise RuntimeError(f"the stored model {fault}")

    def keep(self, model: Model) -> None:
        pass


def _stored_model(models: ModelStore, recipe: Recipe, method: CorrectedSvms, days: Sequence[date]) -> Model | None:
    """Find the newest stored model with one of the given dates. Returns None if there is none."""
    found = (method.find_model(models, recipe.name, day) for day in reversed(days))
    return next((model for model in found if model is not None), None)


def _keep_reports(history: History, reports: Sequence[str]) -> History:
    """Drop reports that aren't in the model, because they would trigger training."""
    relevant, maybe = (
        {report: rows for report, rows in of_reports.items() if report in reports}
        for of_reports in (history.relevant, history.maybe)
    )
    return replace(history, relevant=relevant, maybe=maybe)


@dataclass(frozen=True, eq=False)
class _ExampleSorter:
    """Sorter without a model. It ranks as for the first report of a service, based only on the examples."""

    recipe: Recipe
    history: History
    first: int
    n_reports: int = 0

    def sort(self, examples: Sequence[Paper]) -> list[SortedPapers]:
        history = replace(self.history, seeds={NOBODY: examples})
        ranked = rank_block(self.recipe, history, self.first, len(history.issues), [NOBODY])
        return [SortedPapers(one.order, one.scores) for one in ranked]


@dataclass(frozen=True, eq=False)
class _ModelSorter:
    """Sorter that uses the model of all reports.

    Attributes
    ----------
    learned : FittedModel
        Trained model.
    usual : array of shape (n_inputs,)
        Mean inputs of the networks over all papers to rank.
    terms : list of CSR arrays of shape (n_papers, n_terms)
        Terms in each issue's papers.
    hidden, margins : lists of arrays of shape (n_papers, n_hidden) and (n_papers, n_read)
        For each issue's papers, the networks' hidden units and the margins for the existing reports.
    n_reports : int
        Number of reports whose decisions the model was trained on.
    """

    learned: FittedModel
    usual: Table
    terms: Sequence[Any]
    hidden: Sequence[Table]
    margins: Sequence[Table]
    n_reports: int

    def sort(self, examples: Sequence[Paper]) -> list[SortedPapers]:
        X = self.learned.fields.rows(tokens_of(examples))
        unread = np.flatnonzero(np.diff(X.indptr) == 0)
        if len(unread):
            raise UnknownExampleError(examples[unread[0]])
        inputs, terms = self._inputs(X), X.mean(axis=0)
        hidden, margins = self.learned.hidden(inputs), inputs[:, : self.learned.n_read]
        return [
            _sort_by_score(
                _standard(_likeness(of_hidden, hidden))
                + _standard(_likeness(of_margins, margins))
                + OF_TERMS * _standard(of_terms @ terms)
            )
            for of_hidden, of_margins, of_terms in zip(self.hidden, self.margins, self.terms, strict=True)
        ]

    def _inputs(self, X: Any) -> Table:
        """Return the networks' inputs for examples. Their author features are unknown, so the mean values are used."""
        of_reports = self.learned.margins(X)
        seen = np.hstack([of_reports[:, : self.learned.n_read], LENGTH * self.learned.topics.of(X)])
        return np.hstack([seen, np.tile(self.usual[seen.shape[1] :], (len(seen), 1))])


def _model_sorter(explainer: NetworkExplainer, sizes: Sequence[int], n_reports: int) -> _ModelSorter:
    ends = np.cumsum(sizes).tolist()
    parts = [slice(end - size, end) for end, size in zip(ends, sizes, strict=True)]
    hidden = explainer.learned.hidden(explainer.inputs)
    return _ModelSorter(
        explainer.learned,
        explainer.inputs.mean(axis=0),
        [explainer.X[part] for part in parts],
        [hidden[part] for part in parts],
        [explainer.inputs[part, : explainer.learned.n_read] for part in parts],
        n_reports,
    )


def _likeness(papers: Table, examples: Table) -> Table:
    """Return each paper's mean cosine similarity to the examples. Features are standardised over the issue's papers."""
    scale = scale_of(papers)
    likeness: Table = scale.directions(papers) @ scale.directions(examples).mean(axis=0)
    return likeness


def _standard(scores: Table) -> Table:
    standard: Table = (scores - scores.mean()) / (scores.std() or 1.0)
    return standard


def _sort_by_score(scores: Table) -> SortedPapers:
    scores = scores.round(DECIMALS)
    order = np.argsort(-scores, kind="stable").astype(np.int32)  # stable, so tied papers keep list order
    return SortedPapers(order, scores[order])
