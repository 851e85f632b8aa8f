"""The tables of scores that pages share, kept by report."""

from dataclasses import dataclass, field
from functools import partial

import pandas as pd

from data.store import Store
from desk.scores import table
from desk.ui.kept_by_report import KeptByReport

Tables = tuple[pd.DataFrame, pd.DataFrame]  # what is judged, and what is not


@dataclass
class KeptScores:
    """What `desk.scores.table.scores_and_not_judged` gave of each report."""

    replay: int | None
    kept: KeptByReport[Tables] = field(default_factory=KeptByReport)

    def tables(self, store: Store) -> Tables:
        """Return the tables of all reports, and measure those of which outcomes came or went since."""
        measure = partial(table.scores_and_not_judged, store, replay=self.replay)
        found = self.kept.all(store, lambda report: measure(report=report))
        if not found:
            return measure()
        scores, left_out = zip(*found, strict=True)
        return _joined(scores), _joined(left_out)


def _joined(tables: tuple[pd.DataFrame, ...]) -> pd.DataFrame:
    filled = [one for one in tables if len(one)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]
