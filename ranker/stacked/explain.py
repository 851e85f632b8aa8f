"""Explanation of a paper's rank, which decomposes its score into contributions from terms and features."""

from dataclasses import dataclass
from functools import cached_property
from typing import Any

import numpy as np

from presort.data.records import Rows
from presort.ranker.explain import find_similar, find_similar_vectors, shares, spell_terms
from presort.ranker.recipe import Reason, Similar, Table, Task, labels
from presort.ranker.stacked.features import LENGTH
from presort.ranker.stacked.forest import (
    Forest,
    PairFeatures,
    Reports,
    columns,
    pair_features,
    parts_of,
    reports_of,
    term_counts,
)
from presort.ranker.stacked.model import FittedModel
from presort.ranker.stacked.network import DECIMALS
from presort.ranker.stacked.term_network import TermNetworks
from presort.ranker.tokens import select_papers


@dataclass(frozen=True)
class NetworkExplainer:
    """Explainer of the networks' scores.

    Near a paper's inputs, the networks are linear, so the contributions of the paper's terms and features sum to its
    score, up to a constant.

    Attributes
    ----------
    task : Task
        Past and new papers.
    learned : FittedModel
        Trained model.
    X : CSR array of shape (n_new, n_terms)
        Terms of the new papers.
    inputs, margins : arrays of shape (n_new, n_inputs) and (n_new, n_reports)
        The network's inputs for the new papers, and the new papers' margins.
    """

    task: Task
    learned: FittedModel
    X: Any
    inputs: Table
    margins: Table

    def scores(self, report: str) -> Table:
        """Return the scores of the new papers for a report."""
        return self.outputs[:, self._column(report)].round(DECIMALS)

    @cached_property
    def outputs(self) -> Table:
        """Scores of the new papers for all reports, shape (n_new, n_reports)."""
        return self.learned.outputs(self.inputs, self.margins)

    def reasons(self, report: str, row: int) -> list[Reason]:
        """Return the contributions to a paper's score, largest first."""
        return shares(self.amounts(report, row))

    def amounts(self, report: str, row: int) -> list[tuple[str, str, float]]:
        """Return the field, text and amount of each contribution to the networks' mean output for a paper."""
        place, column = row - self.task.n_past, self._column(report)
        inputs, of_paper = self.inputs[place], self.X[[place]]
        of_inputs, of_margin = self.learned.slopes(inputs, column)
        n_read = self.learned.n_read
        of_margins = np.zeros(self.margins.shape[1])
        of_margins[:n_read] = of_inputs[:n_read]
        of_margins[column] += of_margin
        n_topics = self.learned.topics.directions.shape[1]
        ends = np.cumsum([n_read, n_topics, len(inputs) - n_read - n_topics - len(self.learned.vector_model)])
        topics, others, about = slice(*ends[:2]), slice(*ends[1:]), slice(ends[2], None)
        weights = self.learned.weights[of_paper.indices] @ (of_margins / self.learned.spread)
        weights += self._term_weights_by_topics(of_paper, of_inputs[topics])
        amounts = [
            (*self._names[term], float(value * weight))
            for term, value, weight in zip(of_paper.indices.tolist(), of_paper.data, weights, strict=True)
        ]
        record = float(inputs[others] @ of_inputs[others])
        meaning = float(inputs[about] @ of_inputs[about])
        return [*spell_terms(self.task.papers[row], amounts), ("record", "", record), ("meaning", "", meaning)]

    def similar(self, report: str, row: int, n: int) -> list[Similar]:
        """Return the report's relevant past papers that are most similar to a paper."""
        relevant = self.task.relevant(report)
        if len(self.learned.vector_model) and self.task.vectors is not None:
            return find_similar_vectors(self.task.vectors.numbers, row, relevant, n)
        others = self.learned.fields.rows(select_papers(self.task.tokens, relevant))
        return find_similar(self.X[[row - self.task.n_past]], others, relevant.tolist(), n)

    def _term_weights_by_topics(self, of_paper: Any, slopes: Table) -> Table:
        """Return the weights with which a paper's terms affect the score through topics, given the topics' slopes."""
        topics = self.learned.topics
        places = np.searchsorted(topics.terms, of_paper.indices)
        places[places == len(topics.terms)] = 0
        is_there = topics.terms[places] == of_paper.indices
        directions = topics.directions[places] * is_there[:, None]
        length = np.linalg.norm(of_paper.data @ directions) + 1e-6
        carried: Table = LENGTH / length * (directions @ slopes)
        return carried

    def _column(self, report: str) -> int:
        return self.learned.column(report)

    @cached_property
    def _names(self) -> list[tuple[str, str]]:
        return self.learned.fields.names()


OF_NETWORKS = 0.25  # weight of the networks' outputs, which separate papers that end in the same leaves of all trees
AT_ONCE = 1_000  # papers per batch for the trees, to save memory


@dataclass(frozen=True)
class ForestExplainer(NetworkExplainer):
    """Explainer of scores that combine the outputs of networks and trees.

    Trees are step functions and can't be linearised around a paper. Instead, the scores of the new papers are regressed
    on the networks' outputs. The slope scales the networks' contributions, and the residual is a separate reason.

    Attributes
    ----------
    term_networks : TermNetworks
        Trained term networks.
    forest : Forest
        Trained trees.
    """

    term_networks: TermNetworks
    forest: Forest

    @cached_property
    def outputs(self) -> Table:
        """Scores of the new papers for all reports, shape (n_new, n_reports).

        Reports added by a cold start have the weighted average of the cold start's score and the trees' score. If
        scores aren't averaged, they have the networks' score.
        """
        combined = self._combine_with_trees() if len(self.forest) else self.network_outputs
        outputs = combined.copy()
        for column, of_trees, weight in self.learned.averages:
            outputs[:, column] = weight * self.network_outputs[:, column] + (1 - weight) * combined[:, of_trees]
        return outputs

    def _combine_with_trees(self) -> Table:
        """Combine the networks' outputs with those of the trees, for the model's reports and for outdated reports."""
        learned, of_networks, n_read = self.learned, self.network_outputs, self.learned.n_read
        parts = parts_of(self.X, learned.fields, learned.weights, learned.spread)
        known = pair_features(
            self.margins[:, :n_read],
            [part[:, :n_read] for part in parts],
            self.inputs,
            of_networks[:, :n_read],
            self.term_networks.of_new(self.X, self.inputs[:, learned.inputs_of_directions]),
            term_counts(self.X, learned.fields),
            len(learned.vector_model),
        )
        reports = reports_of(learned.y)
        combined = of_networks.copy()
        combined[:, :n_read] = self._score_pairs(known, reports, np.arange(n_read))
        of_model = list(learned.reports[:n_read])
        added = [one.tree_column for one in learned.averages if one.tree_column >= n_read and one.weight < 1]
        if not added:
            return combined
        y = labels(self.task, of_model)
        for column in added:
            report = learned.reports[column]
            place = of_model.index(report) if report in of_model else n_read
            features = known.with_report(
                place, self.margins[:, column], [part[:, column] for part in parts], of_networks[:, column]
            )
            with_own = reports.with_report(place, y, labels(self.task, [report])[:, 0])
            combined[:, [column]] = self._score_pairs(features, with_own, np.array([place]))
        return combined

    def _score_pairs(self, known: PairFeatures, reports: Reports, wanted: Rows) -> Table:
        """Return the combined scores of all new papers for the reports in the columns `wanted` of `known`."""
        scores: Table = OF_NETWORKS * known.outputs[:, wanted]
        for first in range(0, len(scores), AT_ONCE):
            some = known[first : first + AT_ONCE]
            papers, of_reports = np.divmod(np.arange(len(some.margins) * len(wanted)), len(wanted))
            of_trees = self.forest.outputs(columns(some, reports, papers, wanted[of_reports]))
            scores[first : first + AT_ONCE] += of_trees.reshape(-1, len(wanted))
        return scores

    @cached_property
    def network_outputs(self) -> Table:
        """Outputs of the networks for the new papers, shape (n_new, n_reports)."""
        return self.learned.outputs(self.inputs, self.margins)

    def reasons(self, report: str, row: int) -> list[Reason]:
        """Return the contributions to a paper's score, largest first."""
        column = self._column(report)
        score, before = self.outputs[:, column], self.network_outputs[:, column]
        spread = before.var()
        together = ((before - before.mean()) * (score - score.mean())).mean()
        slope = float(together / spread) if spread > 0 else 0.0
        place = row - self.task.n_past
        added = (score - score.mean()) - slope * (before - before.mean())
        amounts = [(field, text, slope * amount) for field, text, amount in self.amounts(report, row)]
        return shares([*amounts, ("agreement", "", float(added[place]))])
