"""The tables of scores that pages share, kept by report: what came of one report has only that one measured anew."""

from dataclasses import dataclass, field
from datetime import date

import pandas as pd

from data.learning import outcomes
from data.store import Store
from desk.scores import table

Tables = tuple[pd.DataFrame, pd.DataFrame]  # what is judged, and what is not


@dataclass
class KeptScores:
    """What `desk.scores.table.scores_and_not_judged` gave of each report, and of which state of its outcomes."""

    replay: int | None
    by_report: dict[str, tuple[outcomes.State, Tables]] = field(default_factory=dict)

    def tables(self, store: Store) -> Tables:
        """Return the tables of all reports, and measure those of which outcomes came or went since."""
        known, found = self.by_report, dict[str, tuple[outcomes.State, Tables]]()
        for report, state in sorted(outcomes.outcomes_states(store, date.max).items()):
            at_hand = known.get(report)
            if at_hand is None or at_hand[0] != state:
                at_hand = state, table.scores_and_not_judged(store, report=report, replay=self.replay)
            found[report] = at_hand
        self.by_report = found  # at once: others may read it
        if not found:
            return table.scores_and_not_judged(store, replay=self.replay)
        scores, left_out = zip(*(tables for _, tables in found.values()), strict=True)
        return _joined(scores), _joined(left_out)


def _joined(tables: tuple[pd.DataFrame, ...]) -> pd.DataFrame:
    filled = [one for one in tables if len(one)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]
