"""Why a paper stands where it stands, said for trees that weigh what machines and networks say."""

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from presort.ranker.explain import shares
from presort.ranker.presort_1.explain import CorrectedExplainer
from presort.ranker.presort_1.network import corrected
from presort.ranker.presort_2.forest import Forest
from presort.ranker.presort_2.pairs import columns, evidence, parts_of, reports_of
from presort.ranker.presort_2.term_network import TermNetworks
from presort.ranker.recipe import Reason, Table

OF_NETWORKS = 0.25  # what the networks say counts once more beside the trees, which are flat between their steps
AT_ONCE = 1_000  # papers that the trees look at together, to save memory


@dataclass(frozen=True)
class WeighedExplainer(CorrectedExplainer):
    """Takes a score apart: what the networks say is a sum, and what the trees make of it is one reason more.

    The trees are steps, so they are not linear around a paper. Over the papers at hand their score goes up with what
    the networks say by some slope; what moved the networks moved it by so much. The rest is what they add.

    Attributes
    ----------
    term_networks : TermNetworks
    forest : Forest
    """

    term_networks: TermNetworks
    forest: Forest

    @cached_property
    def outputs(self) -> Table:
        """What new papers score for all reports; reports that were learned by themselves are left to the networks."""
        of_networks, n_read = self.of_networks, self.learned.n_read
        if not len(self.forest):
            return of_networks
        parts = [
            part[:, :n_read]
            for part in parts_of(self.X, self.learned.fields, self.learned.weights, self.learned.spread)
        ]
        by_terms, n_of_meaning = self.term_networks.of_new(self.X), len(self.learned.meaning)
        known = evidence(self.margins[:, :n_read], parts, self.inputs, of_networks[:, :n_read], by_terms, n_of_meaning)
        reports = reports_of(self.learned.y)
        outputs = of_networks.copy()
        outputs[:, :n_read] *= OF_NETWORKS
        for first in range(0, len(outputs), AT_ONCE):
            some = known[first : first + AT_ONCE]
            papers, of_reports = np.divmod(np.arange(some.margins.size), n_read)
            weighed = self.forest.outputs(columns(some, reports, papers, of_reports))
            outputs[first : first + AT_ONCE, :n_read] += weighed.reshape(-1, n_read)
        return outputs

    @cached_property
    def of_networks(self) -> Table:
        """What the networks make of new papers, shape (n_new, n_reports)."""
        return corrected(self.learned.networks, self.inputs, self.margins)

    def reasons(self, report: str, row: int) -> list[Reason]:
        """Return what moved the score of a paper."""
        column = self._column(report)
        score, before = self.outputs[:, column], self.of_networks[:, column]
        spread = before.var()
        together = ((before - before.mean()) * (score - score.mean())).mean()
        slope = float(together / spread) if spread > 0 else 0.0
        place = row - self.task.n_past
        added = (score - score.mean()) - slope * (before - before.mean())
        amounts = [(field, text, slope * amount) for field, text, amount in self.amounts(report, row)]
        return shares([*amounts, ("agreement", "", float(added[place]))])
