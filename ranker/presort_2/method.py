"""Machines and networks as presort-1 has them, weighed for each paper and report by boosted trees."""

import sys
from dataclasses import asdict, dataclass, replace
from typing import Any

from presort.data.records import Model
from presort.ranker.presort_1.learned import fault_of
from presort.ranker.presort_1.learning import Decisions
from presort.ranker.presort_1.meaning import NO_VECTORS_READ, Vectored
from presort.ranker.presort_1.meaning import SHAPES as OF_MEANING
from presort.ranker.presort_1.method import CorrectedMachines
from presort.ranker.presort_2.explain import WeighedExplainer
from presort.ranker.presort_2.forest import SHAPES, Trees, fault_of_forest, forest_from
from presort.ranker.presort_2.learning import LearnedWithTrees, learn, with_forest
from presort.ranker.presort_2.pairs import n_columns
from presort.ranker.presort_2.term_network import SHAPES as OF_TERMS
from presort.ranker.presort_2.term_network import TermNetwork, fault_of_term_networks, term_networks_from
from presort.ranker.recipe import Task


@dataclass(frozen=True)
class WeighedMachines(CorrectedMachines):
    """What `CorrectedMachines` does, and boosted trees that have the last word.

    The trees are the same for all reports. They see of a paper and a report the margin, field by field, what the
    networks say and what networks over terms alone say, beside those of other reports, and the record of the authors.
    All of it comes from machines and networks that have not seen the paper. A report that the model does not know is
    scored as the networks score it.

    Attributes
    ----------
    term_network : TermNetwork
    trees : Trees
    few : int
        With fewer relevant pairs of paper and report there are no trees, and presort-1's networks have the last word.
    vectored : Vectored
        What is learned of sentence vectors, where papers have any.
    """

    term_network: TermNetwork
    trees: Trees
    few: int
    vectored: Vectored = NO_VECTORS_READ

    @property
    def reads_vectors(self) -> bool:
        """Return whether any are learned from."""
        return self.vectored != NO_VECTORS_READ

    def plain(self) -> "WeighedMachines":
        """Return a method that learns the same machines and networks, but no trees and what they alone see."""
        return replace(self, few=sys.maxsize)

    def explainer(self, task: Task, n_jobs: int = 1) -> WeighedExplainer:
        """Learn what is to be learned for all reports, and return what can say why."""
        seen = super().explainer(task, n_jobs)
        learned = seen.learned
        if not isinstance(learned, LearnedWithTrees):
            raise TypeError(f"learned must hold trees, got {type(learned).__name__}")
        return WeighedExplainer(task, learned, seen.X, seen.inputs, seen.margins, learned.term_networks, learned.forest)

    def settings(self) -> dict[str, Any]:
        """Return the settings that a model stands and falls with."""
        settings = super().settings()
        settings |= {"term network": asdict(self.term_network), "trees": asdict(self.trees), "few": self.few}
        return settings | ({"vectored": asdict(self.vectored)} if self.reads_vectors else {})

    def fault_of(self, model: Model) -> str:
        """Return in what a model is not one that `learn` put on a shelf; nothing if it is."""
        has_meaning = self.reads_vectors and not OF_MEANING.keys().isdisjoint(
            model.arrays
        )  # not where no paper had a vector
        shapes = SHAPES | OF_TERMS | (OF_MEANING if has_meaning else {})
        fault = fault_of(model, self.fields, len(self.network.seeds), shapes)
        n_parts = len(self.fields) + has_meaning
        fault = fault or fault_of_term_networks(model.arrays)
        return fault or fault_of_forest(model.arrays, n_columns(len(model.trained_on["reports"]), n_parts))

    def learned_from(self, model: Model) -> LearnedWithTrees:
        """Return what a model was made of, in which there is no fault."""
        arrays = model.arrays
        return with_forest(super().learned_from(model), term_networks_from(arrays), forest_from(arrays))

    def learned(self, past: Decisions, n_jobs: int) -> LearnedWithTrees:
        """Learn all anew from past papers."""
        machines, network, term_network = self.machines, self.network, self.term_network
        return learn(self.fields, machines, network, term_network, self.trees, self.few, self.vectored, past, n_jobs)
