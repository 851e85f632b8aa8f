"""Cache of results that pages compute from the outcomes of a workspace.

Saves 3 to 10 s per page at 83,000 report issues of four rankers; the target is 2 s. The cache is shared by all
sessions, and other processes may write to the workspace. So each entry is keyed by the state of all outcomes (`State`),
and results of an older state are never shown. Tables of scores are also cached by report, so that publishing one report
recomputes only its rows.

Forecast models don't depend on scores. They are cached separately, keyed by the past lists they were trained on.
"""

from collections import OrderedDict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from contextlib import suppress
from dataclasses import dataclass, field
from datetime import date
from functools import partial, wraps
from threading import Lock, Thread
from typing import Any, Concatenate, NamedTuple, ParamSpec, TypeVar

import numpy as np
import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing.work import last_in_list
from presort.data.errors import DataError
from presort.data.learning import outcomes
from presort.data.learning.sorted_lists import lists_state
from presort.data.learning.stop_audits import read_stop_audits, stop_audits_state
from presort.data.records import StoredRanking
from presort.data.rights import Right
from presort.data.running import service
from presort.desk.scores import stop_audit, table
from presort.desk.scores.alarms import depth, every_shift, newest_year
from presort.desk.scores.effort import effort as compute_effort
from presort.desk.scores.effort import work_done
from presort.desk.scores.sorters import rows_of
from presort.desk.session.progress import relevance_models_before
from presort.desk.ui import visitor
from presort.desk.ui.visitor import store as store
from presort.desk.ui.visitor import whole_store
from presort.metrics.rank_sum import value_sum_p
from presort.ranker.stopping.relevance_model import RelevanceModel

MOST_STATES = 2  # not 1, because a fragment may still use the state of its page
MOST_ENTRIES = 100  # per state
MOST_TABLES = 6  # scores for editors and of some replays, and the work of two quarters
SHARE_AT_ONCE = 1 / 4  # share of changed reports above which reading all at once is faster than one by one

Tables = tuple[pd.DataFrame, ...]  # each has a column ``report`` and is sorted by it
Make = Callable[[str | None], Tables]  # computes the tables of one report, or of all reports for None
P = ParamSpec("P")
T = TypeVar("T")


class State(NamedTuple):
    """State of the scores that a user may see. Cache key of all results computed from them.

    Attributes
    ----------
    workspace : str
        Name of the workspace.
    scored : State
        State of its outcomes, from `outcomes_state`.
    reports : tuple of str, optional
        Codes of the reports that the user may view. None for all.
    """

    workspace: str
    scored: outcomes.State
    reports: tuple[str, ...] | None


@dataclass
class Entry:
    """Value that is computed once. Other threads that need it wait."""

    lock: Lock = field(default_factory=Lock)
    values: list[Any] = field(default_factory=list)  # empty until the value is computed

    def value(self, compute: Callable[[], T]) -> T:
        """Return the value, and compute it on the first call."""
        with self.lock:
            if not self.values:
                self.values.append(compute())
            value: T = self.values[0]
            return value


@dataclass
class TablesByReport:
    """Tables of each report, with the state of the outcomes they were computed from."""

    lock: Lock = field(default_factory=Lock)
    by_report: dict[str, tuple[outcomes.State, Tables]] = field(default_factory=dict)

    def tables(self, states: Mapping[str, outcomes.State], make: Make) -> Tables:
        """Return the tables of all reports, in the order of `states`. Recomputes reports whose outcomes changed."""
        with self.lock:
            known = {code: kept for code, kept in self.by_report.items() if kept[0] == states.get(code)}
            if len(states) - len(known) > SHARE_AT_ONCE * len(states):
                whole = make(None)
                self.by_report = {code: (states[code], tables) for code, tables in _by_report(whole, states)}
                return whole
            self.by_report = {code: known.get(code) or (state, make(code)) for code, state in states.items()}
            parts = [tables for _, tables in self.by_report.values()]
            return tuple(map(_joined, zip(*parts, strict=True))) if parts else make(None)


@dataclass
class Cache:
    """Entries of the newest states of a workspace, and its tables by report, which survive a change of state."""

    lock: Lock = field(default_factory=Lock)
    states: OrderedDict[State | outcomes.State, OrderedDict[Hashable, Entry]] = field(default_factory=OrderedDict)
    tables: OrderedDict[Hashable, TablesByReport] = field(default_factory=OrderedDict)

    def entry(self, state: State, key: Hashable) -> Entry:
        """Return the entry of a key in a state. Evicts the least recently used states and keys."""
        with self.lock:
            entries = self.states.setdefault(state.scored, OrderedDict())
            self.states.move_to_end(state.scored)
            found = entries.setdefault((state.reports, key), Entry())
            entries.move_to_end((state.reports, key))
            _drop_oldest(self.states, MOST_STATES)
            _drop_oldest(entries, MOST_ENTRIES)
            return found

    def tables_of(self, key: Hashable) -> TablesByReport:
        """Return the tables by report for a key. Evicts the least recently used key."""
        with self.lock:
            found = self.tables.setdefault(key, TablesByReport())
            self.tables.move_to_end(key)
            _drop_oldest(self.tables, MOST_TABLES)
            return found


def of_state(compute: Callable[Concatenate[State, P], T]) -> Callable[Concatenate[State, P], T]:
    """Cache a function of a `State` and hashable arguments. Results are shared, not copied."""

    @wraps(compute)
    def found(state: State, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute.__module__, compute.__qualname__, args, tuple(kwargs.items()))
        return _cache(state.workspace).entry(state, key).value(partial(compute, state, *args, **kwargs))

    return found


def by_report(state: State, key: Hashable, make: Make) -> Tables:
    """Return tables of all reports in a state. Calls `make` only for reports whose outcomes changed."""
    whole = state._replace(reports=None)
    return _cache(whole.workspace).tables_of(key).tables(_states(whole), make)


def state() -> State:
    """Return the state of the scores that the user may see."""
    return _whole_state()._replace(reports=visible_reports())


def all_scores(replay: int | None) -> pd.DataFrame:
    """Return `presort.desk.scores.table.scores` for all reports that the user may view. Read-only."""
    return seen(_tables(_whole_state(), replay)[0])


def whole_scores() -> pd.DataFrame:
    """Return `presort.desk.scores.table.scores` for all reports, without access checks. Read-only."""
    return _tables(_whole_state(), None)[0]


def for_comparison(replay: int | None) -> pd.DataFrame:
    """Return the scores used to compare rankers. Read-only.

    Returns `presort.desk.scores.table.scores_by_source` if the scores have several sources, or else `all_scores`.
    """
    official = all_scores(replay)
    if replay is not None or "source" not in official or official["source"].nunique() < 2:
        return official
    return seen(_tables_by_source(_whole_state()))


def not_evaluable(replay: int | None) -> pd.DataFrame:
    """Return `presort.desk.scores.table.not_evaluable` for all reports that the user may view. Read-only."""
    return seen(_tables(_whole_state(), replay)[1])


def stop_audits(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `presort.desk.scores.stop_audit.table` of a ranker, or of `SORTED`, for reports the user may view."""
    whole = state()._replace(reports=None)  # one entry serves all users
    return rows_of(store(), seen(_stop_audits(whole, stop_audits_version(), replay)), ranker)


def effort(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `presort.desk.scores.effort.effort` of a ranker, or of `SORTED`, for the newest year. Read-only.

    Covers the reports that the user may view.
    """
    n_choices = n_ranker_choices()  # a new choice may change which ranking of a report issue counts
    return seen(_effort(_whole_state(), n_choices, replay, ranker))


def depths(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `presort.desk.scores.alarms.depth` of a ranker, or of `SORTED`, for the newest year. Read-only.

    Covers all active reports, because p-values are corrected for their number. Pages must show only the reports that
    the user may view.
    """
    return _depths(_whole_state(), n_ranker_choices(), replay, ranker, _active())


def decline_p_values(replay: int | None, ranker: str) -> dict[str, float]:
    """Return the p-value of a decline by report, for reports that can be tested and that the user may view."""
    reports = visible_reports()
    found = _decline_p_values(_whole_state(), n_ranker_choices(), replay, ranker, _active())
    return {report: p for report, p in found.items() if reports is None or report in reports}


def _active() -> tuple[str, ...]:
    """Return the codes of all reports that are not retired."""
    return tuple(report.code for report in whole_store().once("active reports", catalogue.reports))


def work(since: date) -> pd.DataFrame:
    """Return `presort.desk.scores.effort.work_done` since a date, for reports the user may view. Read-only."""
    return seen(_work(_whole_state(), since))


def n_ranker_choices() -> int:
    """Return how often the ranker in use was changed. Part of the cache key of results that depend on it."""
    return len(store().once("ranker choices", service.ranker_choices))


def stop_audits_version() -> tuple[int, int]:
    """Return the state of all stop audits. Part of the cache key of results that depend on them."""
    return whole_store().once("stop audits state", stop_audits_state)


def seen(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of reports that the user may view. A director gets the whole table."""
    reports = visible_reports()
    return found if reports is None else found[found["report"].isin(reports)]


def refresh() -> Thread:
    """Recompute the scores in a background thread after outcomes changed. Returns the thread."""
    thread = Thread(target=_make_scores, name="make-scores", daemon=True)
    thread.start()
    return thread


def _make_scores() -> None:
    with suppress(DataError):  # the page that needs the scores shows the error
        _tables(_whole_state(), None)


def relevance_model_for(shown: StoredRanking | None) -> RelevanceModel | None:
    """Return the relevance model of a report for the list of a ranking. None if the list is not ranked.

    Equals the result of `presort.desk.session.progress.relevance_model_of`.
    """
    if shown is None or not shown.ranking.is_sorted:
        return None
    ranking, current = shown.ranking, whole_store()
    store().cleared(Right.SEE, ranking.report)
    state = lists_state(current, ranking.ranker, ranking.issue, shown.id)
    n_reports = len(catalogue.reports(current, retired=True))
    key = current.name, ranking.ranker, ranking.issue, (*state, n_reports)
    return _kept_relevance_models(*key, shown.id)[ranking.report]


def visible_reports() -> tuple[str, ...] | None:
    """Return the codes of the reports that the user may view. None means all."""
    if visitor.may_manage():
        return None
    return tuple(report.code for report in catalogue.reports(store(), retired=True))


def _whole_state() -> State:
    return State(whole_store().name, whole_store().once("outcomes state", outcomes.outcomes_state), None)


@of_state
def _states(state: State) -> dict[str, outcomes.State]:
    """Return the state of the outcomes of each report. Cached because it takes a second and all tables need it."""
    return dict(sorted(outcomes.outcomes_states(whole_store(), date.max).items()))


@of_state
def _tables(state: State, replay: int | None) -> Tables:
    def make(report: str | None) -> Tables:
        return table.scores_and_not_evaluable(whole_store(), report=report, replay=replay)

    return by_report(state, ("scores", replay), make)


@of_state
def _tables_by_source(state: State) -> pd.DataFrame:
    return table.scores_by_source(whole_store())


@of_state
def _stop_audits(state: State, audits_state: tuple[int, int], replay: int | None) -> pd.DataFrame:
    return stop_audit.table(read_stop_audits(whole_store()), replay)


@of_state
def _effort(state: State, n_choices: int, replay: int | None, ranker: str) -> pd.DataFrame:
    table = newest_year(rows_of(whole_store(), _tables(state, replay)[0], ranker))
    since = date.max if table.empty else table["issue"].min().date()
    return compute_effort(table, _last_in_list(state, since), _work(state, since))


@of_state
def _depths(state: State, n_choices: int, replay: int | None, ranker: str, active: tuple[str, ...]) -> pd.DataFrame:
    table = newest_year(rows_of(whole_store(), _tables(state, replay)[0], ranker))
    return depth(table[table["report"].isin(active)])


@of_state
def _decline_p_values(
    state: State, n_choices: int, replay: int | None, ranker: str, active: tuple[str, ...]
) -> dict[str, float]:
    """Test all reports, because their p-values are corrected together. Caching saves .1 s per page at 65 reports."""
    found = every_shift(_depths(state, n_choices, replay, ranker, active), towards="higher", p_value=value_sum_p)
    return {one.report: one.chance for one in found}


@of_state
def _last_in_list(state: State, since: date) -> dict[tuple[str, date], int]:
    return last_in_list(whole_store(), since)


@of_state
def _work(state: State, since: date) -> pd.DataFrame:
    """Return `work_done` since a date, cached by report.

    The cache starts at the first day of a quarter. Otherwise each new issue would shift the newest year, and the work
    of all reports would be read again.
    """
    begin = since.replace(month=since.month - (since.month - 1) % 3, day=1)
    (work,) = by_report(
        state, ("work", begin), lambda report: (work_done(whole_store(), begin, [report] if report else []),)
    )
    return work[work["issue"] >= pd.Timestamp(since)]


@st.cache_resource(show_spinner=False, max_entries=4)
def _cache(workspace: str) -> Cache:
    return Cache()


def _drop_oldest(found: OrderedDict[Any, Any], most: int) -> None:
    while len(found) > most:
        found.popitem(last=False)


def _by_report(tables: Tables, codes: Iterable[str]) -> Iterator[tuple[str, Tables]]:
    """Split tables by report without copying them."""
    rows = [table.groupby("report", sort=False).indices for table in tables]
    for code in codes:
        ranges = (np.asarray(of_report.get(code, ()), dtype=np.intp) for of_report in rows)
        bounds = [(found[0], found[-1] + 1) if found.size else (0, 0) for found in ranges]
        yield code, tuple(table.iloc[start:end] for table, (start, end) in zip(tables, bounds, strict=True))


def _joined(tables: Tables) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]


# Shared between reports, because rankings made in one run are based on the same past lists.
@st.cache_resource(show_spinner=False, max_entries=16)
def _kept_relevance_models(
    workspace: str, ranker: str, before: date, state: tuple[int, ...], _shown_id: int
) -> dict[str, RelevanceModel]:
    return relevance_models_before(whole_store(), ranker, before, _shown_id)
