"""Cache for results that depend on the state of a workspace's outcomes. It is shared by all sessions.

Other processes may write to the workspace. Each entry is therefore keyed by the state of all outcomes (`State`), and
results from an older state are never shown. Tables are also cached by report, so that only a report's own rows are
recomputed when it publishes an issue.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field
from datetime import date
from functools import partial, wraps
from threading import Lock
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from presort.data.learning import outcomes
from presort.desk.ui.visitor import whole_store

MOST_STATES = 2  # more than 1, because a fragment may still use its page's older state
MOST_ENTRIES = 100  # maximum number of results per state
MOST_TABLES = 6  # scores for editors and for a few replays, and the work of two quarters
SHARE_AT_ONCE = 1 / 4  # share of changed reports above which reading all reports at once is faster than one by one

Tables = tuple[pd.DataFrame, ...]  # each table has a column ``report`` and is sorted by it
Make = Callable[[str | None], Tables]  # computes the tables for a report, or for all reports if the argument is None
P = ParamSpec("P")
T = TypeVar("T")


class State(NamedTuple):
    """State of the scores that a user may see. It is the cache key of all results computed from them.

    Attributes
    ----------
    workspace : str
        Name of the workspace.
    scored : State
        State of the workspace's outcomes, as returned by `outcomes_state`.
    reports : tuple of str, optional
        Codes of the reports that the user may view. None means all reports.
    """

    workspace: str
    scored: outcomes.State
    reports: tuple[str, ...] | None


@dataclass
class Entry:
    """Value that is computed only once. Other threads that need it wait for it."""

    lock: Lock = field(default_factory=Lock)
    values: list[Any] = field(default_factory=list)  # empty until the value is computed

    def value(self, compute: Callable[[], T]) -> T:
        """Return the value, which is computed on the first call."""
        with self.lock:
            if not self.values:
                self.values.append(compute())
            value: T = self.values[0]
            return value


@dataclass
class TablesByReport:
    """Tables for each report, with the state of the outcomes from which they were computed."""

    lock: Lock = field(default_factory=Lock)
    by_report: dict[str, tuple[outcomes.State, Tables]] = field(default_factory=dict)

    def tables(self, states: Mapping[str, outcomes.State], make: Make) -> Tables:
        """Return the tables for all reports, in the order of `states`.

        Reports whose outcomes have changed are recomputed one by one. If many have changed, all reports are recomputed.
        """
        with self.lock:
            known = {code: kept for code, kept in self.by_report.items() if kept[0] == states.get(code)}
            if len(states) - len(known) > SHARE_AT_ONCE * len(states):
                whole = make(None)
                self.by_report = {code: (states[code], tables) for code, tables in _split_by_report(whole, states)}
                return whole
            self.by_report = {code: known.get(code) or (state, make(code)) for code, state in states.items()}
            parts = [tables for _, tables in self.by_report.values()]
            return tuple(map(_join_tables, zip(*parts, strict=True))) if parts else make(None)


@dataclass
class Cache:
    """Results for a workspace's newest states, and tables by report, which are kept when the state changes."""

    lock: Lock = field(default_factory=Lock)
    states: OrderedDict[State | outcomes.State, OrderedDict[Hashable, Entry]] = field(default_factory=OrderedDict)
    tables: OrderedDict[Hashable, TablesByReport] = field(default_factory=OrderedDict)

    def entry(self, state: State, key: Hashable) -> Entry:
        """Return the entry for a key in a state.

        If the cache is full, the least recently used states and keys are evicted.
        """
        with self.lock:
            entries = self.states.setdefault(state.scored, OrderedDict())
            self.states.move_to_end(state.scored)
            found = entries.setdefault((state.reports, key), Entry())
            entries.move_to_end((state.reports, key))
            _drop_oldest(self.states, MOST_STATES)
            _drop_oldest(entries, MOST_ENTRIES)
            return found

    def tables_of(self, key: Hashable) -> TablesByReport:
        """Return the per-report tables for a key. If the cache is full, the least recently used key is evicted."""
        with self.lock:
            found = self.tables.setdefault(key, TablesByReport())
            self.tables.move_to_end(key)
            _drop_oldest(self.tables, MOST_TABLES)
            return found


def cache_by_state(compute: Callable[Concatenate[State, P], T]) -> Callable[Concatenate[State, P], T]:
    """Cache a function that takes a `State` and hashable arguments. Results are shared, not copied."""

    @wraps(compute)
    def found(state: State, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute.__module__, compute.__qualname__, args, tuple(kwargs.items()))
        return _cache(state.workspace).entry(state, key).value(partial(compute, state, *args, **kwargs))

    return found


def tables_by_report(state: State, key: Hashable, make: Make) -> Tables:
    """Return the tables for all reports in a state. Calls `make` only if tables are missing or outdated."""
    whole = state._replace(reports=None)
    return _cache(whole.workspace).tables_of(key).tables(_states(whole), make)


@cache_by_state
def _states(state: State) -> dict[str, outcomes.State]:
    """Return the state of each report's outcomes. It is cached, because it takes a second and all tables need it."""
    return dict(sorted(outcomes.outcomes_states(whole_store(), date.max).items()))


@st.cache_resource(show_spinner=False, max_entries=4)
def _cache(workspace: str) -> Cache:
    return Cache()


def _drop_oldest(found: OrderedDict[Any, Any], most: int) -> None:
    while len(found) > most:
        found.popitem(last=False)


def _split_by_report(tables: Tables, codes: Iterable[str]) -> Iterator[tuple[str, Tables]]:
    """Split tables by report without copying them."""
    rows = [table.groupby("report", sort=False).indices for table in tables]
    for code in codes:
        ranges = (np.asarray(of_report.get(code, ()), dtype=np.intp) for of_report in rows)
        bounds = [(found[0], found[-1] + 1) if found.size else (0, 0) for found in ranges]
        yield code, tuple(table.iloc[start:end] for table, (start, end) in zip(tables, bounds, strict=True))


def _join_tables(tables: Tables) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]
