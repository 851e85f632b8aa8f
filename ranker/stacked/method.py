"""Ranking by one support vector machine per report, corrected by a network that reads all reports' margins."""

from collections.abc import Generator, Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass, field, replace
from datetime import date
from typing import Any

import numpy as np

from presort.data.records import Model, Rows
from presort.ranker.gather import can_train
from presort.ranker.recipe import PERIOD, Labels, ModelStore, ReportScores, Table, Task, labels
from presort.ranker.stacked.cold_start import REGRESSION_ALONE, ColdStart, add_cold_start, is_outdated
from presort.ranker.stacked.explain import NetworkExplainer
from presort.ranker.stacked.features import authorship_matrix, new_features
from presort.ranker.stacked.fields import Field
from presort.ranker.stacked.incremental import update_model
from presort.ranker.stacked.model import LAYOUT, FittedModel, fault_of, fitted_model_from
from presort.ranker.stacked.network import DECIMALS, Network, disable_correction
from presort.ranker.stacked.svms import Svms
from presort.ranker.stacked.training import Decisions, learn
from presort.ranker.tokens import TOKENISATION
from presort.ranker.words import IssueTerms, terms_of_issue

TEXTS = "words"  # name of the field that contains titles and abstracts
# with fewer papers, always train from scratch: it takes seconds, and old models soon become outdated
FEW_PAPERS = 5_000


@dataclass(frozen=True)
class CorrectedSvms:
    """One linear support vector machine per report, and a network that corrects their margins.

    Each SVM is trained twice, once on each of two folds of the past papers. A past paper's margins come from the other
    fold's SVMs, so that the network is trained on margins like those of new papers. A new paper's margins are the means
    over both folds.

    A full training happens once every eight issues, or earlier if the model is outdated for a report (see
    `ColdStart.train_early_from`), and its model is stored. Scoring loads the newest stored model, updates the SVMs with
    later decisions, and adds reports that the model doesn't include. The authors' records are computed from all
    decisions, and the network stays unchanged. If no model is stored, scoring trains one first.

    Attributes
    ----------
    fields : mapping from str to Field
        Fields whose terms the SVMs use.
    svms : Svms
        Settings for the SVMs.
    network : Network
        Settings for the network.
    cold_start : ColdStart
        Settings for the scores of reports that a stored model lacks.
    """

    fields: Mapping[str, Field]
    svms: Svms
    network: Network
    cold_start: ColdStart = field(default=REGRESSION_ALONE, kw_only=True)

    @property
    def learns_together(self) -> bool:
        """Return True, because each report's score depends on other reports' margins and decisions."""
        return True

    @property
    def needs_past_texts(self) -> bool:
        """Return False, because the past papers' tokens are enough."""
        return False

    @property
    def reads_vectors(self) -> bool:
        """Return False, because only terms and authors are used."""
        return False

    def plain(self) -> "CorrectedSvms":
        """Return a method with the same SVMs and networks but without stages that a subclass adds, such as trees."""
        return self

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[ReportScores]:
        """Score the new papers for some reports, using the decisions of all reports."""
        seen = self.explainer(task, n_jobs)
        learned = seen.learned
        terms, weights = _terms_of_texts(seen)
        for report in reports:
            column = learned.column(report)
            words = terms.words(weights[:, column], len(task.relevant(report)))
            yield ReportScores(report, seen.outputs[:, column].round(DECIMALS), words=words)

    def explainer(self, task: Task, n_jobs: int = 1) -> NetworkExplainer:
        """Train or update the model for all reports, and return the explainer."""
        found = self._newest(task)
        model, rows = self._first(task, n_jobs) if found is None else found[1:]
        learned, y = self._up_to_date(task, model, rows)
        X = learned.fields.rows(task.tokens[task.n_past :])
        inputs, of_new = inputs_of_new(learned, task, X, y)
        return NetworkExplainer(task, learned, X, inputs, of_new)

    def learn(self, task: Task, n_jobs: int) -> bool:
        """Train and store the current period's model if it is due and missing. Returns True if a model was trained."""
        min_relevant = self.cold_start.train_early_from
        before, found = _issue_to_learn_before(task, min_relevant), self._newest(task)
        if before is None:
            return False
        if found is not None:
            day, model, _ = found
            newest = list(task.issues).index(day)
            if newest >= before and not _lacks_decisions(model, task, newest, min_relevant):
                return False
            before = max(newest, before)  # an older model wouldn't be used
        self._train_and_store(task, before, n_jobs)
        return True

    def settings(self) -> dict[str, Any]:
        """Return the settings with which a stored model must have been trained."""
        fields = {name: {"weight": field.weight, **asdict(field.limits)} for name, field in self.fields.items()}
        return {
            "tokenisation": TOKENISATION,
            "fields": fields,
            "svms": asdict(self.svms),
            "network": asdict(self.network),
        }

    def find_model(self, models: ModelStore, ranker: str, trained_before: date) -> Model | None:
        """Find a stored model. Returns None if there is none, or after reporting an invalid model to the store."""
        model = models.find(ranker, trained_before, LAYOUT, self.settings())
        if model is not None and (fault := self.fault_of(model)):
            models.refuse(model, fault)
            return None
        return model

    def fault_of(self, model: Model) -> str:
        """Describe the fault in a stored model. Returns "" if the model is valid."""
        return fault_of(model, self.fields, len(self.network.seeds))

    def fitted_model_from(self, model: Model) -> FittedModel:
        """Restore the fitted model from a stored model, which must be valid."""
        return fitted_model_from(model.arrays, model.trained_on["reports"], self.fields, len(self.network.seeds))

    def fit(self, past: Decisions, n_jobs: int) -> FittedModel:
        """Train from scratch on all past papers."""
        return learn(self.fields, self.svms, self.network, past, n_jobs)

    def _newest(self, task: Task) -> tuple[date, FittedModel, Rows] | None:
        """Find the newest stored model whose training papers all still exist.

        Returns the date before which it was trained, the model, and the current rows of its papers.
        """
        for day in reversed(task.issues):
            model = self.find_model(task.models, task.ranker, day)
            if model is not None:
                learned = self.fitted_model_from(model)
                rows = learned.rows_in(task.keys)
                if rows is not None and learned.vector_model.is_of(task.vectors):
                    return day, learned, rows
        return None

    def _train_and_store(self, task: Task, issue: int, n_jobs: int) -> FittedModel:
        """Train and store a model on the issues before `issue`, for reports with enough decisions in these issues."""
        n_papers = int(task.starts[issue])
        reports = _trainable_reports(task, n_papers)
        learned = self._train(task, n_papers, reports, n_jobs)
        is_early = self.cold_start.train_early_from > 0 and issue % PERIOD > 0
        trained_on = {"papers": n_papers, "reports": reports, "early": is_early}
        task.models.keep(Model(task.ranker, LAYOUT, self.settings(), task.issues[issue], trained_on, learned.arrays()))
        return learned

    def _first(self, task: Task, n_jobs: int) -> tuple[FittedModel, Rows]:
        """Train a model, because none is stored. Also return the rows of its papers. Small models are not stored."""
        before = _issue_to_learn_before(task, self.cold_start.train_early_from)
        if before is None:
            model = self._train(task, task.n_past, list(task.decided), n_jobs)
            # If there are no past issues, the papers to rank serve as negatives, so ignore the network's correction.
            if not task.starts[-1]:
                model = replace(model, networks=[disable_correction(one) for one in model.networks])
        else:
            model = self._train_and_store(task, before, n_jobs)
        return model, np.arange(len(model.y))

    def _train(self, task: Task, n_papers: int, reports: Sequence[str], n_jobs: int) -> FittedModel:
        past = slice(n_papers)
        y, numbers = labels(task, reports)[past], task.numbers_of(past)
        vectors = None if task.vectors is None else task.vectors[past]
        return self.fit(Decisions(task.tokens[past], y, reports, task.keys[past], numbers, vectors), n_jobs)

    def _up_to_date(self, task: Task, model: FittedModel, rows: Rows) -> tuple[FittedModel, Labels]:
        """Update a model with later decisions and new reports. Also return the labels of its original reports."""
        y = labels(task, model.reports)
        learned = update_model(self.svms, model, task, rows, y)
        # Each group has its own cold start, so that a new report doesn't affect reports that the model includes.
        for reports in _cold_start_reports(task, model, self.cold_start.fewest):
            learned = add_cold_start(self.svms, self.cold_start, model, learned, task, rows, y, reports)
        return learned, y


def inputs_of_new(learned: FittedModel, task: Task, X: Any, y: Labels) -> tuple[Table, Table]:
    """Return the network's inputs for the new papers, and the new papers' margins for all reports.

    Parameters
    ----------
    learned : FittedModel
        Model, updated to the current decisions.
    task : Task
        Past and new papers.
    X : CSR array of shape (n_new, n_terms)
        Terms of the new papers.
    y : array of shape (n_past, n_read)
        Labels of the reports that the networks read.
    """
    of_new = learned.margins(X)
    new_authors, past_authors = task.tokens[task.n_past :].authors, task.tokens[: task.n_past].authors
    has_written = np.zeros(len(task.tokens.vocabulary), dtype=bool)
    has_written[past_authors.values] = True
    authors = np.unique(new_authors.values[has_written[new_authors.values]])
    written_new, written = (authorship_matrix(lists, authors) for lists in (new_authors, past_authors))
    seen = new_features(learned.topics.of(X), written_new, learned.past_topics, written, y)
    about = learned.vector_model.of_new(task.vectors, slice(task.n_past, len(task.papers)))
    return np.hstack([of_new[:, : learned.n_read], seen, about]), of_new


def _terms_of_texts(seen: NetworkExplainer) -> tuple[IssueTerms, Table]:
    """Return the terms in the issue's titles and abstracts, and the terms' weights, shape (n_terms, n_reports)."""
    fields, task = seen.learned.fields, seen.task
    own = fields.columns(TEXTS)
    terms = terms_of_issue(task.marked, seen.X[: len(task.marked), own], fields.learned[TEXTS].terms.names)
    return terms, seen.learned.weights[own.start + terms.columns]


def _issue_to_learn_before(task: Task, min_relevant: int) -> int | None:
    """Choose the issue before which the model is trained: the period's first issue or, if necessary, a later one.

    An issue qualifies if most reports had enough decisions before it. If the period's first issue doesn't qualify, the
    issue to rank is considered. Returns None if neither qualifies, or if there are so few papers that a model is
    trained from scratch for every ranking. If a model trained before the chosen issue would be outdated by now for a
    report with at least `min_relevant` relevant papers, the last issue at which a model became outdated is chosen
    instead.
    """
    for issue in ((len(task.issues) - 1) // PERIOD * PERIOD, len(task.issues) - 1):
        n_papers = int(task.starts[issue])
        if n_papers >= FEW_PAPERS and 2 * len(_trainable_reports(task, n_papers)) > len(task.decided):
            return _last_outdated_at(task, issue, min_relevant) if min_relevant else issue
    return None


def _last_outdated_at(task: Task, first: int, min_relevant: int) -> int:
    """Return the last issue from `first` on at which the model became outdated for a report.

    Only reports with at least `min_relevant` relevant papers are considered. Returns `first` if no model became
    outdated.
    """
    n_trained_on, *later = _counts_of_relevant(task, range(first, len(task.issues)))
    for issue, now in enumerate(later, start=first + 1):
        if any(n >= min_relevant and is_outdated(n_trained_on[report], n) for report, n in now.items()):
            first, n_trained_on = issue, now
    return first


def _lacks_decisions(model: FittedModel, task: Task, issue: int, min_relevant: int) -> bool:
    """Return True if a model is outdated for a report because decisions on papers before `issue` were made late.

    Only reports with at least `min_relevant` relevant papers are considered. Returns False if `min_relevant` is 0.
    """
    reports = _trainable_reports(task, int(task.starts[issue])) if min_relevant else []
    [known] = _counts_of_relevant(task, [issue])
    now = {report: known[report] for report in reports if known[report] >= min_relevant}
    return any(is_outdated(model.n_relevant.get(report, 0), n) for report, n in now.items())


def _counts_of_relevant(task: Task, issues: Iterable[int]) -> list[dict[str, int]]:
    """Count each report's relevant papers before each issue."""
    relevant = {report: task.relevant(report) for report in task.decided}
    return [
        {report: int(np.searchsorted(rows, task.starts[issue])) for report, rows in relevant.items()}
        for issue in issues
    ]


def _trainable_reports(task: Task, n_papers: int) -> list[str]:
    """Return the reports that have enough decisions on the first `n_papers` papers for training."""
    return [report for report, (rows, y) in task.decided.items() if can_train(y[rows < n_papers])]


def _cold_start_reports(task: Task, model: FittedModel, fewest: int) -> tuple[list[str], list[str]]:
    """Return the reports that need a cold start in two groups.

    The first group contains the reports for which the model is outdated, and the second group all other reports with
    fewer than `fewest` relevant papers. In small services, `fewest` is ignored, because a model is trained for each
    ranking.
    """
    fewest = fewest if len(model.y) >= FEW_PAPERS else 0
    now = {report: int(np.count_nonzero(y)) for report, (_, y) in task.decided.items()}
    outdated = [report for report, n in now.items() if is_outdated(model.n_relevant.get(report, 0), n)]
    return outdated, [report for report, n in now.items() if n < fewest and report not in outdated]
