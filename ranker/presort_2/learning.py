"""Learn all anew from past papers: what presort-1 learns, and trees that weigh it for each paper and report."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, fields, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from presort.data.records import Rows
from presort.ranker.presort_1.fields import Field
from presort.ranker.presort_1.learned import Learned
from presort.ranker.presort_1.learning import Decisions, Seen, look
from presort.ranker.presort_1.machines import Machines
from presort.ranker.presort_1.meaning import Vectored
from presort.ranker.presort_1.network import Network, corrected
from presort.ranker.presort_2.forest import NO_TREES, Forest, Trees
from presort.ranker.presort_2.pairs import columns, evidence, parts_of, reports_of
from presort.ranker.presort_2.term_network import TermNetwork, TermNetworks, no_term_networks
from presort.ranker.recipe import Labels, Table

OTHERS = 3  # irrelevant pairs of paper and report, for each relevant one, that the trees learn from


@dataclass(frozen=True, eq=False)
class LearnedWithTrees(Learned):
    """What stands once past papers were learned from, networks over their terms, and the trees."""

    term_networks: TermNetworks
    forest: Forest

    def arrays(self) -> dict[str, NDArray[Any]]:
        """Return all that a model keeps but the names of the reports, as arrays."""
        return super().arrays() | self.term_networks.arrays() | self.forest.arrays()


def with_forest(learned: Learned, term_networks: TermNetworks, forest: Forest) -> LearnedWithTrees:
    """Put networks over terms, and trees, beside what else was learned."""
    of_presort_1 = {one.name: getattr(learned, one.name) for one in fields(learned)}
    return LearnedWithTrees(**of_presort_1, term_networks=term_networks, forest=forest)


def learn(
    settings: Mapping[str, Field],
    machines: Machines,
    network: Network,
    term_network: TermNetwork,
    trees: Trees,
    few: int,
    vectored: Vectored,
    past: Decisions,
    n_jobs: int,
) -> LearnedWithTrees:
    """Learn from past papers.

    Parameters
    ----------
    settings, machines, network, term_network, trees
        Those of a recipe.
    few : int
        With fewer relevant pairs of paper and report there are no trees, and no network over terms for them to see.
    vectored : Vectored
        What is learned of sentence vectors.
    past : Decisions
    n_jobs : int
        Processes; the result does not depend on it.
    """
    X, seen = look(settings, machines, past, n_jobs, vectored)
    y = past.y
    is_enough = np.count_nonzero(y == 1) >= few and y.shape[1] > 1
    parts = _parts_of_past(X, seen) if is_enough else []
    term_networks = no_term_networks(y.shape[1])
    if is_enough:
        term_networks = term_network.learned(X, y, seen.judged.halves, n_jobs)
        by_terms = term_networks.of_past(X, seen.judged.halves)
    del X
    learned = seen.learned(past, network.trained(seen.inputs, seen.judged.margins, y, n_jobs))
    forest = NO_TREES
    if is_enough:
        outputs = judged_by_networks(network, seen, y)
        known = evidence(seen.judged.margins, parts, seen.inputs, outputs, by_terms, len(seen.meaning))
        papers, of_reports = pairs_to_learn_from(y)
        forest = trees.trained(columns(known, reports_of(y), papers, of_reports), y[papers, of_reports])
    return with_forest(learned, term_networks, forest)


def judged_by_networks(network: Network, seen: Seen, y: Labels) -> Table:
    """Return what networks make of past papers, shape (n_past, n_reports): each by that of the half it is not in."""
    outputs = np.empty(y.shape)
    for half in (0, 1):
        is_in = seen.judged.halves == half
        own = replace(network, seeds=(half,)).trained(seen.inputs[is_in], seen.judged.margins[is_in], y[is_in])
        outputs[~is_in] = corrected(own, seen.inputs[~is_in], seen.judged.margins[~is_in])
    return outputs


def pairs_to_learn_from(y: Labels) -> tuple[Rows, Rows]:
    """Choose pairs of paper and report: all that are relevant, and some of the others, drawn at random."""
    others = np.flatnonzero(y.ravel() == 0)
    n_drawn = min(len(others), OTHERS * np.count_nonzero(y == 1))
    drawn = np.random.default_rng(0).permutation(others)[:n_drawn]
    chosen = np.sort(np.concatenate([np.flatnonzero(y.ravel() == 1), drawn]))
    papers, reports = np.divmod(chosen, y.shape[1])
    return papers, reports


def _parts_of_past(X: Any, seen: Seen) -> Sequence[Table]:
    judged = seen.judged
    parts = [np.empty(judged.margins.shape, dtype=np.float32) for _ in seen.fields.fields]
    for half, weights in enumerate(judged.weights_of_halves):
        others = np.flatnonzero(judged.halves != half)
        for part, of_others in zip(parts, parts_of(X[others], seen.fields, weights, judged.spread), strict=True):
            part[others] = of_others
    return parts
