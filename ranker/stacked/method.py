"""Support vector machines, one a report, corrected by a network that sees all reports together."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from datetime import date
from typing import Any

import numpy as np

from presort.data.records import Model, Rows
from presort.ranker.gather import can_train
from presort.ranker.recipe import PERIOD, Labels, ModelStore, Scored, Table, Task, labels
from presort.ranker.stacked.explain import CorrectedExplainer
from presort.ranker.stacked.features import new_features, written_by
from presort.ranker.stacked.fields import Field
from presort.ranker.stacked.incremental import add_cold_start, update_model
from presort.ranker.stacked.model import LAYOUT, FittedModel, fault_of, fitted_model_from
from presort.ranker.stacked.network import DECIMALS, Network, unmoved
from presort.ranker.stacked.svms import Svms
from presort.ranker.stacked.training import Decisions, learn
from presort.ranker.tokens import TOKENISATION
from presort.ranker.words import IssueTerms, terms_of_issue

TEXTS = "words"  # the field of titles and abstracts
FEW_PAPERS = 5_000  # so few are trained from scratch each time: it takes a few seconds, and much is new


@dataclass(frozen=True)
class CorrectedSvms:
    """A linear support vector machine a report, and a network that corrects their margins.

    Each SVM is trained twice, on one fold of the papers and on the other. A past paper gets its margins from the
    half it was not in, so that the network learns from margins as they will be; a new paper gets the mean of both.

    All that is learned for eight issues at a time, and kept in the model store. Scoring starts from the newest model
    there, and learns on top of it what was decided since and each report that it does not know; the record of the
    authors is exact, and the network stays. Only where there is no model at all does scoring learn one.

    Attributes
    ----------
    fields : mapping from str to Field
        Fields that the SVMs use.
    svms : Svms
    network : Network
    """

    fields: Mapping[str, Field]
    svms: Svms
    network: Network

    @property
    def learns_together(self) -> bool:
        """Return True: reports use each other's margins and selections from an author's papers."""
        return True

    @property
    def needs_past_texts(self) -> bool:
        """Return False: only tokens are used."""
        return False

    @property
    def reads_vectors(self) -> bool:
        """Return False: only terms and authors are used."""
        return False

    def plain(self) -> "CorrectedSvms":
        """Return a method that learns the same SVMs and networks, and nothing on top of them."""
        return self

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[Scored]:
        """Score for some of the reports that have decided enough, using the decisions of all reports."""
        seen = self.explainer(task, n_jobs)
        learned = seen.learned
        terms, weights = _terms_of_texts(seen)
        for report in reports:
            column = learned.column(report)
            words = terms.words(weights[:, column], len(task.relevant(report)))
            yield Scored(report, seen.outputs[:, column].round(DECIMALS), words=words)

    def explainer(self, task: Task, n_jobs: int = 1) -> CorrectedExplainer:
        """Train for all reports, and return the explainer."""
        found = self._newest(task)
        model, rows = self._first(task, n_jobs) if found is None else found[1:]
        learned, y = self._up_to_date(task, model, rows)
        X = learned.fields.rows(task.tokens[task.n_past :])
        inputs, of_new = inputs_of_new(learned, task, X, y)
        return CorrectedExplainer(task, learned, X, inputs, of_new)

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Learn the model for the weeks to come if it is due, and keep it; return whether it was."""
        before, found = _issue_to_learn_before(task), self._newest(task)
        if before is None or (found is not None and found[0] >= task.issues[before]):
            return False
        self._kept(task, before, n_jobs)
        return True

    def settings(self) -> dict[str, Any]:
        """Return the settings that a stored model must match."""
        fields = {name: {"weight": field.weight, **asdict(field.limits)} for name, field in self.fields.items()}
        return {
            "tokenisation": TOKENISATION,
            "fields": fields,
            "svms": asdict(self.svms),
            "network": asdict(self.network),
        }

    def kept(self, models: ModelStore, ranker: str, trained_before: date) -> Model | None:
        """Find a stored model. A model that `learn` didn't write is refused."""
        model = models.find(ranker, trained_before, LAYOUT, self.settings())
        if model is not None and (fault := self.fault_of(model)):
            models.refuse(model, fault)
            return None
        return model

    def fault_of(self, model: Model) -> str:
        """Describe why `learn` can't have written a model. Empty if it can."""
        return fault_of(model, self.fields, len(self.network.seeds))

    def fitted_model_from(self, model: Model) -> FittedModel:
        """Restore the fitted model from a stored one that has no fault."""
        return fitted_model_from(model.arrays, model.trained_on["reports"], self.fields, len(self.network.seeds))

    def fit(self, past: Decisions, n_jobs: int) -> FittedModel:
        """Train on all past papers."""
        return learn(self.fields, self.svms, self.network, past, n_jobs)

    def _newest(self, task: Task) -> tuple[date, FittedModel, Rows] | None:
        """Find the newest model whose papers still exist, and return it with the papers' current rows."""
        for day in reversed(task.issues):
            model = self.kept(task.models, task.ranker, day)
            if model is not None:
                learned = self.fitted_model_from(model)
                rows = learned.rows_in(task.keys)
                if rows is not None and learned.vector_model.is_of(task.vectors):
                    return day, learned, rows
        return None

    def _kept(self, task: Task, issue: int, n_jobs: int) -> FittedModel:
        """Learn from the issues before one, by the reports that have decided enough by then, and keep the model."""
        n_papers = int(task.starts[issue])
        reports = _known(task, n_papers)
        learned = self._learned(task, n_papers, reports, n_jobs)
        trained_on = {"papers": n_papers, "reports": reports}
        task.models.keep(Model(task.ranker, LAYOUT, self.settings(), task.issues[issue], trained_on, learned.arrays()))
        return learned

    def _first(self, task: Task, n_jobs: int) -> tuple[FittedModel, Rows]:
        """Train if there is no stored model. A model of few data isn't stored."""
        before = _issue_to_learn_before(task)
        if before is None:
            model = self._learned(task, task.n_past, list(task.decided), n_jobs)
            if not task.starts[
                -1
            ]:  # the papers to rank are negatives for the examples, and would be compared with themselves
                model = replace(model, networks=[unmoved(one) for one in model.networks])
        else:
            model = self._kept(task, before, n_jobs)
        return model, np.arange(len(model.y))

    def _learned(self, task: Task, n_papers: int, reports: Sequence[str], n_jobs: int) -> FittedModel:
        past = slice(n_papers)
        y, numbers = labels(task, reports)[past], task.numbers_of(past)
        vectors = None if task.vectors is None else task.vectors[past]
        return self.fit(Decisions(task.tokens[past], y, reports, task.keys[past], numbers, vectors), n_jobs)

    def _up_to_date(self, task: Task, model: FittedModel, rows: Rows) -> tuple[FittedModel, Labels]:
        """Update a model. Also return the labels of the reports that it knows."""
        y = labels(task, model.reports)
        learned = update_model(self.svms, model, task, rows, y)
        return add_cold_start(self.svms, model, learned, task, rows, y, _cold_start_reports(task, model)), y


def inputs_of_new(learned: FittedModel, task: Task, X: Any, y: Labels) -> tuple[Table, Table]:
    """Return the network's inputs for the new papers, whose terms are in `X`, and their margins for all reports."""
    of_new = learned.margins(X)
    new_authors, past_authors = task.tokens[task.n_past :].authors, task.tokens[: task.n_past].authors
    has_written = np.zeros(len(task.tokens.vocabulary), dtype=bool)
    has_written[past_authors.values] = True
    authors = np.unique(new_authors.values[has_written[new_authors.values]])
    written_new, written = (written_by(lists, authors) for lists in (new_authors, past_authors))
    seen = new_features(learned.topics.of(X), written_new, learned.past_topics, written, y)
    about = learned.vector_model.of_new(task.vectors, slice(task.n_past, len(task.papers)))
    return np.hstack([of_new[:, : learned.n_read], seen, about]), of_new


def _terms_of_texts(seen: CorrectedExplainer) -> tuple[IssueTerms, Table]:
    """Return the terms of titles and abstracts of the issue, and their weights, shape (n_terms, n_reports)."""
    fields, task = seen.learned.fields, seen.task
    own = fields.columns(TEXTS)
    terms = terms_of_issue(task.marked, seen.X[: len(task.marked), own], fields.learned[TEXTS].terms.names)
    return terms, seen.learned.weights[own.start + terms.columns]


def _issue_to_learn_before(task: Task) -> int | None:
    """Choose the issue before which a model is to be learned; None if every ranking trains from scratch.

    It is the first of the period. Where most reports had not decided enough by then, it is the one to rank.
    """
    for issue in ((len(task.issues) - 1) // PERIOD * PERIOD, len(task.issues) - 1):
        n_papers = int(task.starts[issue])
        if n_papers >= FEW_PAPERS and 2 * len(_known(task, n_papers)) > len(task.decided):
            return issue
    return None


def _known(task: Task, n_papers: int) -> list[str]:
    """Choose the reports that have decided enough on the first papers."""
    return [report for report, (rows, y) in task.decided.items() if can_train(y[rows < n_papers])]


def _cold_start_reports(task: Task, model: FittedModel) -> list[str]:
    """Choose the reports that a model does not know, or of which it knows less than half the relevant papers."""
    relevant = dict(zip(model.reports, (model.y == 1).sum(axis=0).tolist(), strict=True))
    return [report for report, (_, y) in task.decided.items() if 2 * relevant.get(report, 0) < np.count_nonzero(y)]
