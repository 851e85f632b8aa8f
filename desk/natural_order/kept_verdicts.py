"""Exact verdicts kept by report: after a report went out, only its own outcomes are compared anew."""

from dataclasses import dataclass, field
from operator import is_

import pandas as pd

from desk.scores.natural_order import ExactVerdicts, exact_verdicts, joined
from metrics import Outcome


@dataclass
class KeptVerdicts:
    """What `exact_verdicts` gave of each report, and of which outcomes."""

    by_report: dict[str, tuple[list[Outcome], ExactVerdicts]] = field(default_factory=dict)

    def of(self, scores: pd.DataFrame) -> ExactVerdicts:
        """Return what `exact_verdicts` gives of scores; those of reports with the very outcomes of before are known."""
        known, found = self.by_report, dict[str, tuple[list[Outcome], ExactVerdicts]]()
        for report, table in scores.groupby("report", sort=False):
            outcomes = table["outcome"].to_list()
            before, verdicts = known.get(str(report), ([], None))
            if verdicts is None or len(before) != len(outcomes) or not all(map(is_, before, outcomes)):
                verdicts = exact_verdicts(table)
            found[str(report)] = outcomes, verdicts
        self.by_report = known | found  # at once: others may read it
        return joined([(len(outcomes), of_report) for outcomes, of_report in found.values()])
