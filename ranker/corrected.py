"""Support vector machines, one a report, corrected by a network that sees all reports together."""

import hashlib
from collections.abc import Generator, Mapping, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from data.records import Model, Tokens
from ranker.authors import written_by
from ranker.evidence import evidence_of_new, evidence_of_past
from ranker.explain_corrected import CorrectedExplainer
from ranker.fields import Field, learn_fields
from ranker.learned import LAYOUT, Learned, learned_from
from ranker.machines import Machines, margins
from ranker.network import DECIMALS, Network, corrected
from ranker.parallel import in_processes
from ranker.recipe import NO_WORD, Labels, Scored, Table, Task
from ranker.tokens import some
from ranker.topics import learn_topics
from ranker.words import IssueTerms, terms_of_issue

PERIOD = 8  # issues that share a model; what came in between is learned on top of it
TEXTS = "words"  # the field of titles and abstracts
FEW_PAPERS = 5_000  # so few are learned from anew each time: it takes a few seconds, and much is new


@dataclass(frozen=True)
class CorrectedMachines:
    """A linear support vector machine a report, and a network that corrects their margins.

    Each machine is trained twice, on one half of the papers and on the other. A past paper gets its margins from the
    half it was not in, so that the network learns from margins as they will be; a new paper gets the mean of both.

    All that is learned anew every eighth issue only. In between, what was decided since is learned on top by the
    machines, the record of the authors is exact, and the network stays. A model is kept on the shelf meanwhile.

    Attributes
    ----------
    fields : mapping from str to Field
        What the machines read of a paper.
    machines : Machines
    network : Network
    """

    fields: Mapping[str, Field]
    machines: Machines
    network: Network

    def score(self, task: Task, reports: Sequence[str], n_jobs: int) -> Generator[Scored]:
        """Train for all reports that have decided enough, as they learn from each other."""
        seen = self.explainer(task, n_jobs)
        scores = corrected(seen.learned.networks, seen.inputs, seen.margins)
        terms, weights = _terms_of_texts(seen)
        column = {report: place for place, report in enumerate(task.decided)}
        for report in reports:
            words = terms.words(weights[:, column[report]], len(task.relevant(report)))
            yield Scored(report, scores[:, column[report]].round(DECIMALS), words=words)

    def explainer(self, task: Task, n_jobs: int = 1) -> CorrectedExplainer:
        """Learn for all reports, and keep what was learned."""
        y = _labels(task)
        learned = self.up_to_date(self.learned(task, y, n_jobs), task, y)
        X = learned.fields.rows(task.tokens[task.n_past :])
        inputs, of_new = inputs_of_new(learned, task, X, y)
        return CorrectedExplainer(task, learned, X, inputs, of_new)

    def learned(self, task: Task, y: Labels, n_jobs: int) -> Learned:
        """Find the model of the period on the shelf; where there is none, learn, and put it there."""
        issue = _start_of_period(task, y)
        if issue is None:
            return self._learn(task.tokens[: task.n_past], y, n_jobs)
        n_papers, trained_before = int(task.starts[issue]), task.issues[issue]
        trained_on = _trained_on(task, n_papers)
        model = task.shelf.find(task.ranker, trained_before, LAYOUT, self.settings())
        if model is not None and model.trained_on == trained_on:
            return learned_from(model.arrays, self.fields, len(self.network.seeds))
        learned = self._learn(task.tokens[:n_papers], y[:n_papers], n_jobs)
        task.shelf.keep(Model(task.ranker, LAYOUT, self.settings(), trained_before, trained_on, learned.arrays()))
        return learned

    def settings(self) -> dict[str, Any]:
        """Give the settings that a model stands and falls with."""
        fields = {name: {"weight": field.weight, **asdict(field.limits)} for name, field in self.fields.items()}
        return {"fields": fields, "machines": asdict(self.machines), "network": asdict(self.network)}

    def up_to_date(self, learned: Learned, task: Task, y: Labels) -> Learned:
        """Learn on top of a model what was decided since."""
        before = np.full_like(y, NO_WORD)
        before[: len(learned.y)] = learned.y
        since = np.where(y != before, y, np.int8(NO_WORD))
        rows = np.flatnonzero((since != NO_WORD).any(axis=1))
        tokens = some(task.tokens, rows)
        later_topics = learned.topics.of(learned.fields.rows(task.tokens[len(learned.y) : task.n_past]))
        weights = self.machines.trained(
            learned.fields.rows(tokens), since[rows], learned.weights, self.machines.balanced(y)
        )
        past_topics = np.vstack([learned.past_topics, later_topics.astype(np.float32)])
        return replace(learned, weights=weights, past_topics=past_topics)

    def _learn(self, tokens: Tokens, y: Labels, n_jobs: int) -> Learned:
        fields, X = learn_fields(self.fields, tokens)
        weights, of_past = self._machines_of_halves(X, y, n_jobs)
        mean, spread = of_past.mean(axis=0), of_past.std(axis=0)
        spread[spread == 0] = 1.0
        of_past = (of_past - mean) / spread
        topics = learn_topics(X)
        past_topics = topics.of(X).astype(np.float32)
        del X
        written = written_by(tokens.authors, np.unique(tokens.authors.values))
        inputs = np.hstack([of_past.astype(np.float32), evidence_of_past(past_topics, written, y)], dtype=np.float32)
        networks = self.network.trained(inputs, of_past, y, n_jobs)
        return Learned(fields, weights, mean, spread, topics, past_topics, y, networks)

    def _machines_of_halves(self, X: Any, y: Labels, n_jobs: int) -> tuple[NDArray[np.float32], Table]:
        """Train on either half of the papers; give the mean weights, and the margins of papers by the other half."""
        halves = _halves(y)
        of_past = np.zeros(y.shape)
        weights = np.zeros((X.shape[1] + 1, y.shape[1]), dtype=np.float32)
        calls = ((self.machines, X, y, halves, half) for half in (0, 1))
        with closing(in_processes(_train_half, calls, n_jobs)) as ready:
            for half, of_half, of_others in ready:
                weights += of_half / 2
                of_past[halves != half] = of_others
        return weights, of_past


def _train_half(machines: Machines, X: Any, y: Labels, halves: Labels, half: int) -> tuple[int, Table, Table]:
    """Give the weights of the machines of a half, and the margins of the others' papers."""
    rows = np.flatnonzero(halves == half)
    weights = machines.trained(X[rows], y[rows])
    return half, weights.astype(np.float32), margins(X[np.flatnonzero(halves != half)], weights)


def _halves(y: Labels) -> Labels:
    """Put each paper in half 0 or 1, and half of the relevant papers of each report in either, the rarest's first."""
    halves = np.random.default_rng(0).integers(0, 2, len(y)).astype(np.int8)
    is_placed = np.zeros(len(y), dtype=bool)
    for report in np.argsort((y == 1).sum(axis=0), kind="stable"):
        relevant = y[:, report] == 1
        surplus = int((1 - 2 * halves[relevant & is_placed].astype(int)).sum())  # of half 0
        left = np.flatnonzero(relevant & ~is_placed)
        place = (np.arange(len(left)) - abs(surplus)) % 2
        place[: abs(surplus)] = surplus > 0
        halves[left] = place
        is_placed[left] = True
    return halves


def inputs_of_new(learned: Learned, task: Task, X: Any, y: Labels) -> tuple[Table, Table]:
    """Give the network's inputs for the new papers, whose terms are in `X`, and their margins."""
    of_new = (margins(X, learned.weights) - learned.mean) / learned.spread
    new_authors, past_authors = task.tokens[task.n_past :].authors, task.tokens[: task.n_past].authors
    authors = np.intersect1d(new_authors.values, past_authors.values)
    written_new, written = (written_by(lists, authors) for lists in (new_authors, past_authors))
    seen = evidence_of_new(learned.topics.of(X), written_new, learned.past_topics, written, y)
    return np.hstack([of_new, seen]), of_new


def _terms_of_texts(seen: CorrectedExplainer) -> tuple[IssueTerms, Table]:
    """Give the terms of titles and abstracts of the issue, and their weights, shape (n_terms, n_reports)."""
    fields, task = seen.learned.fields, seen.task
    own = fields.columns(TEXTS)
    terms = terms_of_issue(task.listed, seen.X[: task.n_listed, own], fields.learned[TEXTS].terms.names)
    return terms, seen.learned.weights[own][terms.columns]


def _labels(task: Task) -> Labels:
    """Give 1 for relevant, 0 for not and -1 for no word, shape (n_past, n_reports)."""
    y = np.full((task.n_past, len(task.decided)), NO_WORD, dtype=np.int8)
    for column, (rows, words) in enumerate(task.decided.values()):
        y[rows, column] = words
    return y


def _start_of_period(task: Task, y: Labels) -> int | None:
    """Choose the issue before which the model is learned; None if it is to be learned anew from all there is.

    That is so where little is known by the start of the period, or where a report has come since to twice as many
    relevant papers, or to its first ones.
    """
    issue = (len(task.issues) - 1) // PERIOD * PERIOD
    n_papers = int(task.starts[issue])
    relevant, others = (y[:n_papers] == 1).sum(axis=0), (y[:n_papers] == 0).sum(axis=0)
    is_grown = (relevant < 2) | (others == 0) | (2 * relevant < (y == 1).sum(axis=0))
    return None if n_papers < FEW_PAPERS or is_grown.any() else issue


def _trained_on(task: Task, n_papers: int) -> dict[str, Any]:
    """Say what a model of the period learns from; another order of papers or other reports make another model."""
    ids = "\n".join(paper.paper_id for paper in task.papers[:n_papers])
    return {
        "papers": n_papers,
        "paper ids (sha256)": hashlib.sha256(ids.encode()).hexdigest(),
        "reports": list(task.decided),
    }
