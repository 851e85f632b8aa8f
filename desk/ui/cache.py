"""Cache of results that pages compute from the outcomes of a workspace.

It saves 3 to 10 s a page at 83,000 report issues of four rankers, where 2 s are allowed. All sessions share it and
other processes may write, so the key of an entry is the state of all outcomes (`State`): results of an older state are
never shown. The tables of scores are also held by report: publishing one report recomputes its rows alone.

Forecast models don't depend on scores. They are cached apart, by the past lists that they were learned from.
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

MOST_STATES = 2  # a fragment of a page goes on with the state that the page began with
MOST_ENTRIES = 100  # of a state
MOST_TABLES = 6  # scores for editors and of some replays, and the work of two quarters
SHARE_AT_ONCE = 1 / 4  # of the reports: if more of them changed, all are sooner read at once than one by one

Tables = tuple[pd.DataFrame, ...]  # each with a column ``report``, by which it is sorted
Make = Callable[[str | None], Tables]  # of one report, or of all
P = ParamSpec("P")
T = TypeVar("T")


class State(NamedTuple):
    """State of the scores that a visitor may see: the key of all that is computed from them.

    Attributes
    ----------
    workspace : str
    scored : State
        As `outcomes_state` has it.
    reports : tuple of str, optional
        Codes of the reports that the visitor may look at; None for all.
    """

    workspace: str
    scored: outcomes.State
    reports: tuple[str, ...] | None


@dataclass
class Entry:
    """A value that is computed once, while others who need it wait."""

    lock: Lock = field(default_factory=Lock)
    values: list[Any] = field(default_factory=list)  # none before it is computed

    def value(self, compute: Callable[[], T]) -> T:
        """Return the value; computes it if nobody has done so."""
        with self.lock:
            if not self.values:
                self.values.append(compute())
            value: T = self.values[0]
            return value


@dataclass
class TablesByReport:
    """Tables of each report, with the state of its outcomes from which they were made."""

    lock: Lock = field(default_factory=Lock)
    by_report: dict[str, tuple[outcomes.State, Tables]] = field(default_factory=dict)

    def tables(self, states: Mapping[str, outcomes.State], make: Make) -> Tables:
        """Return the tables of all reports, by their states in order. Makes those again whose outcomes changed."""
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
    """Entries of the newest states of a workspace, and its tables by report, which outlive a state."""

    lock: Lock = field(default_factory=Lock)
    states: OrderedDict[State | outcomes.State, OrderedDict[Hashable, Entry]] = field(default_factory=OrderedDict)
    tables: OrderedDict[Hashable, TablesByReport] = field(default_factory=OrderedDict)

    def entry(self, state: State, key: Hashable) -> Entry:
        """Return the entry of a key in a state; the states and keys that were asked for last stay."""
        with self.lock:
            entries = self.states.setdefault(state.scored, OrderedDict())
            self.states.move_to_end(state.scored)
            found = entries.setdefault((state.reports, key), Entry())
            entries.move_to_end((state.reports, key))
            _drop_oldest(self.states, MOST_STATES)
            _drop_oldest(entries, MOST_ENTRIES)
            return found

    def tables_of(self, key: Hashable) -> TablesByReport:
        """Return the tables by report that have this key."""
        with self.lock:
            found = self.tables.setdefault(key, TablesByReport())
            self.tables.move_to_end(key)
            _drop_oldest(self.tables, MOST_TABLES)
            return found


def of_state(compute: Callable[Concatenate[State, P], T]) -> Callable[Concatenate[State, P], T]:
    """Cache a function of a `State` and of other arguments, which can be hashed. Its results are shared, not copied."""

    @wraps(compute)
    def found(state: State, /, *args: P.args, **kwargs: P.kwargs) -> T:
        key = (compute.__module__, compute.__qualname__, args, tuple(kwargs.items()))
        return _cache(state.workspace).entry(state, key).value(partial(compute, state, *args, **kwargs))

    return found


def by_report(state: State, key: Hashable, make: Make) -> Tables:
    """Return tables of all reports in a state, from `make`. Only those of reports whose outcomes changed are made."""
    whole = state._replace(reports=None)
    return _cache(whole.workspace).tables_of(key).tables(_states(whole), make)


def state() -> State:
    """Return the state of the scores that the visitor may see."""
    return _whole_state()._replace(reports=visible_reports())


def all_scores(replay: int | None) -> pd.DataFrame:
    """Return `presort.desk.scores.table.scores` of all reports that the visitor may look at; not to be changed."""
    return seen(_tables(_whole_state(), replay)[0])


def for_comparison(replay: int | None) -> pd.DataFrame:
    """Return `all_scores`, or with several sources `presort.desk.scores.table.scores_by_source`, to compare rankers.

    Not to be changed.
    """
    official = all_scores(replay)
    if replay is not None or "source" not in official or official["source"].nunique() < 2:
        return official
    return seen(_tables_by_source(_whole_state()))


def not_evaluable(replay: int | None) -> pd.DataFrame:
    """Return `desk.scores.table.not_evaluable` of all reports that the visitor may look at; not to be changed."""
    return seen(_tables(_whole_state(), replay)[1])


def stop_audits(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `presort.desk.scores.stop_audit.table` of a ranker, or of `SORTED`, for reports the visitor may see."""
    whole = state()._replace(reports=None)  # one entry serves all visitors
    return rows_of(store(), seen(_stop_audits(whole, stop_audits_version(), replay)), ranker)


def effort(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `desk.scores.effort.effort` of a ranker, or of `SORTED`, for the newest year.

    Only reports that the visitor may see. Not to be changed.
    """
    n_choices = n_ranker_choices()  # each choice may change which ranking of a report issue counts
    return seen(_effort(_whole_state(), n_choices, replay, ranker))


def depths(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `desk.scores.alarms.depth` of the newest year, of a ranker or `SORTED`, for all reports not retired.

    It is not cut to the reports that the visitor may see: p-values are corrected for the number of all reports. Show
    only those of reports that they may see. Not to be changed.
    """
    return _depths(_whole_state(), n_ranker_choices(), replay, ranker, _active())


def decline_p_values(replay: int | None, ranker: str) -> dict[str, float]:
    """Return the p-value of a decline of each report that the visitor may see, if it can be tested."""
    reports = visible_reports()
    found = _decline_p_values(_whole_state(), n_ranker_choices(), replay, ranker, _active())
    return {report: p for report, p in found.items() if reports is None or report in reports}


def _active() -> tuple[str, ...]:
    """Return the codes of all reports that are not retired."""
    return tuple(report.code for report in whole_store().once("active reports", catalogue.reports))


def work(since: date) -> pd.DataFrame:
    """Return `desk.scores.effort.work_done` from a date on, for reports the visitor may see; not to be changed."""
    return seen(_work(_whole_state(), since))


def n_ranker_choices() -> int:
    """Count the choices of a ranker so far: part of the cache key of results that depend on the ranker in use."""
    return len(store().once("ranker choices", service.ranker_choices))


def stop_audits_version() -> tuple[int, int]:
    """Return the state of all stop audits: part of the cache key of results that depend on them."""
    return whole_store().once("stop audits state", stop_audits_state)


def seen(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of reports that the visitor may look at; the table itself for a director."""
    reports = visible_reports()
    return found if reports is None else found[found["report"].isin(reports)]


def refresh() -> Thread:
    """Compute the scores in a background thread because outcomes have changed, and return the thread."""
    thread = Thread(target=_make_scores, name="make-scores", daemon=True)
    thread.start()
    return thread


def _make_scores() -> None:
    with suppress(DataError):  # the page that needs them says it
        _tables(_whole_state(), None)


def relevance_model_for(shown: StoredRanking | None) -> RelevanceModel | None:
    """Return the forecast model of a report for the list that a ranking shows. None if it is not sorted.

    It is that of `presort.desk.session.progress.relevance_model_of`.
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
    """Return the codes of the reports that the visitor may look at. None means all."""
    if visitor.may_manage():
        return None
    return tuple(report.code for report in catalogue.reports(store(), retired=True))


def _whole_state() -> State:
    return State(whole_store().name, whole_store().once("outcomes state", outcomes.outcomes_state), None)


@of_state
def _states(state: State) -> dict[str, outcomes.State]:
    """Return the state of the outcomes of each report. It takes a second, which all tables of a state share."""
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
    """Test all reports, because their p-values are corrected together. It saves .1 s a page with 65 reports."""
    found = every_shift(_depths(state, n_choices, replay, ranker, active), towards="higher", p_value=value_sum_p)
    return {one.report: one.chance for one in found}


@of_state
def _last_in_list(state: State, since: date) -> dict[tuple[str, date], int]:
    return last_in_list(whole_store(), since)


@of_state
def _work(state: State, since: date) -> pd.DataFrame:
    """Return `work_done` from a date on, kept by report.

    It is read from the first day of a quarter on: otherwise each new issue, which moves the newest year, would have all
    reports read again.
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
    """Cut tables, without copying them."""
    rows = [table.groupby("report", sort=False).indices for table in tables]
    for code in codes:
        ranges = (np.asarray(of_report.get(code, ()), dtype=np.intp) for of_report in rows)
        bounds = [(found[0], found[-1] + 1) if found.size else (0, 0) for found in ranges]
        yield code, tuple(table.iloc[start:end] for table, (start, end) in zip(tables, bounds, strict=True))


def _joined(tables: Tables) -> pd.DataFrame:
    filled = [table for table in tables if len(table)]
    return pd.concat(filled, ignore_index=True) if filled else tables[0]


# Shared, not copied: rankings made one after the other know the same lists, and one entry serves all their reports.
@st.cache_resource(show_spinner=False, max_entries=16)
def _kept_relevance_models(
    workspace: str, ranker: str, before: date, state: tuple[int, ...], _shown_id: int
) -> dict[str, RelevanceModel]:
    return relevance_models_before(whole_store(), ranker, before, _shown_id)
