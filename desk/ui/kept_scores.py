"""The tables of scores that pages share, kept by report."""

from dataclasses import dataclass, field

import pandas as pd

from presort.data.store import Store
from presort.desk.scores import table
from presort.desk.ui.kept_by_report import KeptByReport


@dataclass
class KeptScores:
    """What `presort.desk.scores.table.scores_and_not_judged` gave of each report."""

    replay: int | None
    kept: KeptByReport = field(default_factory=KeptByReport)

    def tables(self, store: Store) -> tuple[pd.DataFrame, pd.DataFrame]:
        """Return what is judged and what is not, of all reports; read anew are those of which outcomes came or went."""

        def read(report: str | None) -> tuple[pd.DataFrame, pd.DataFrame]:
            return table.scores_and_not_judged(store, report=report, replay=self.replay)

        scores, left_out = self.kept.tables(store, read)
        return scores, left_out
