"""Tables made of the outcomes of all reports, kept by report: what came of one has its rows alone made anew."""

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from datetime import date

import numpy as np
import pandas as pd

from presort.data.learning import outcomes
from presort.data.store import Store

Tables = tuple[pd.DataFrame, ...]  # each with a column ``report``, by which it is sorted
Make = Callable[[str | None], Tables]  # of one report, or of all
SHARE_AT_ONCE = 1 / 4  # of the reports: if more of them changed, all are sooner made at once than one by one


@dataclass
class KeptByReport:
    """The tables of each report, and of which state of its outcomes they were made."""

    by_report: dict[str, tuple[outcomes.State, Tables]] = field(default_factory=dict)

    def tables(self, store: Store, make: Make) -> Tables:
        """Return the tables of all reports; those rows made anew of which outcomes came or went since."""
        states = dict(sorted(outcomes.outcomes_states(store, date.max).items()))
        known = {code: kept for code, kept in self.by_report.items() if kept[0] == states.get(code)}
        if len(states) - len(known) > SHARE_AT_ONCE * len(states):
            whole = make(None)
            self.by_report = {code: (states[code], tables) for code, tables in _by_report(whole, states)}
            return whole
        found = {code: known.get(code) or (state, make(code)) for code, state in states.items()}
        self.by_report = found  # at once: others may read it
        parts = [tables for _, tables in found.values()]
        return tuple(map(_joined, zip(*parts, strict=True))) if parts else make(None)


def _by_report(tables: Tables, codes: Iterable[str]) -> Iterator[tuple[str, Tables]]:
    """Cut tables, without copying them."""
    rows = [table.groupby("report", sort=False).indices for table in tables]
    for code in codes:
        ranges = (np.asarray(of_report.get(code, ()), dtype=np.intp) for of_report in rows)
        bounds = [(found[0], found[-1] + 1) if found.size else (0, 0) for found in ranges]
        yield code, tuple(table.iloc[start:end] for table, (start, end) in zip(tables, bounds, strict=True))


def _joined(tables: Tables) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]
