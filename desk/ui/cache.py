"""Results that pages compute from a workspace's outcomes, cached by `state_cache`.

With 83,000 report issues ranked by four rankers, the cache saves 3 to 10 s per page. The target is 2 s per page. Cached
tables are shared between sessions, so callers must not modify them. Forecast models don't depend on scores, so they are
cached separately, by the past lists they were trained on.
"""

from contextlib import suppress
from datetime import date
from threading import Thread

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
from presort.desk.scores.alarms import add_depth
from presort.desk.scores.effort import effort as compute_effort
from presort.desk.scores.effort import work_done
from presort.desk.scores.shifts import every_shift, newest_rows
from presort.desk.scores.sorters import rows_of
from presort.desk.session.progress import relevance_models_before
from presort.desk.ui import visitor
from presort.desk.ui.state_cache import State, Tables, cache_by_state, tables_by_report
from presort.desk.ui.visitor import store as store
from presort.desk.ui.visitor import whole_store
from presort.metrics.rank_sum import value_sum_p
from presort.ranker.stopping.relevance_model import RelevanceModel


def state() -> State:
    """Return the state of the scores that the user may see."""
    return _whole_state()._replace(reports=visible_reports())


def all_scores(replay: int | None) -> pd.DataFrame:
    """Return the cached `presort.desk.scores.table.scores` for all reports that the user may view.

    Callers must not modify it.
    """
    return filter_visible(_tables(_whole_state(), replay)[0])


def whole_scores() -> pd.DataFrame:
    """Return the cached `presort.desk.scores.table.scores` for all reports, without access checks.

    Callers must not modify it.
    """
    return _tables(_whole_state(), None)[0]


def comparison_scores(replay: int | None) -> pd.DataFrame:
    """Return the cached scores for comparing rankers. Callers must not modify them.

    If the scores come from several sources, the result is `presort.desk.scores.table.scores_by_source`, limited to the
    reports that the user may view. Otherwise, the result is `all_scores`. A replay is a single source.
    """
    official = all_scores(replay)
    if replay is not None or "source" not in official or official["source"].nunique() < 2:
        return official
    return filter_visible(_tables_by_source(_whole_state()))


def not_evaluable_rankings(replay: int | None) -> pd.DataFrame:
    """Return the cached `presort.desk.scores.table.find_not_evaluable` for all reports that the user may view.

    Callers must not modify it.
    """
    return filter_visible(_tables(_whole_state(), replay)[1])


def stop_audits(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return `presort.desk.scores.stop_audit.table` for a ranker or `SORTED`, and for reports the user may view."""
    whole = state()._replace(reports=None)  # a single cache entry serves all users
    return rows_of(store(), filter_visible(_stop_audits(whole, stop_audits_version(), replay)), ranker)


def effort(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return the cached `presort.desk.scores.effort.effort` for a ranker or `SORTED`, over the newest 52 issues.

    It covers the reports that the user may view. Callers must not modify it.
    """
    n_choices = n_ranker_choices()  # a new choice may change which ranking of a report issue is the official one
    return filter_visible(_effort(_whole_state(), n_choices, replay, ranker))


def newest_issues(replay: int | None, ranker: str) -> list[pd.Timestamp]:
    """Return the newest 52 issues for a ranker or `SORTED`, oldest first.

    They are the issues of the whole service, so that all users see figures for the same windows. Callers must not
    modify the list.
    """
    return _newest_issues(_whole_state(), n_ranker_choices(), replay, ranker)


def depths(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return the cached `presort.desk.scores.alarms.add_depth` for a ranker or `SORTED`, over the newest 52 issues.

    It covers all active reports, because p-values are corrected for their number. Pages must show only the reports that
    the user may view. Callers must not modify the table.
    """
    return _depths(_whole_state(), n_ranker_choices(), replay, ranker, _active())


def decline_p_values(replay: int | None, ranker: str) -> dict[str, float]:
    """Return the p-value of a decline for each report that can be tested and that the user may view."""
    reports = visible_reports()
    found = _decline_p_values(_whole_state(), n_ranker_choices(), replay, ranker, _active())
    return {report: p for report, p in found.items() if reports is None or report in reports}


def _active() -> tuple[str, ...]:
    """Return the codes of all reports that are not retired."""
    return tuple(report.code for report in whole_store().read_once("active reports", catalogue.reports))


def work(since: date) -> pd.DataFrame:
    """Return the cached `presort.desk.scores.effort.work_done` since a date, for reports the user may view.

    Callers must not modify it.
    """
    return filter_visible(_work(_whole_state(), since))


def n_ranker_choices() -> int:
    """Return the number of recorded choices of the rankers in use.

    This number is part of the cache key of results that depend on the active ranker.
    """
    return len(store().read_once("ranker choices", service.ranker_choices))


def stop_audits_version() -> tuple[int, int]:
    """Return the state of all stop audits, which is part of the cache key of results that depend on them."""
    return whole_store().read_once("stop audits state", stop_audits_state)


def filter_visible(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows for reports that the user may view. For a director, the whole table is returned."""
    reports = visible_reports()
    return found if reports is None else found[found["report"].isin(reports)]


def refresh() -> Thread:
    """Recompute the scores in a background thread after outcomes have changed. Returns the thread."""
    thread = Thread(target=_make_scores, name="make-scores", daemon=True)
    thread.start()
    return thread


def _make_scores() -> None:
    with suppress(DataError):  # the error is shown by the page that needs the scores
        _tables(_whole_state(), None)


def relevance_model_for(shown: StoredRanking | None) -> RelevanceModel | None:
    """Return the report's relevance model for a ranked list. None if the list is not ranked.

    The result is the same as that of `presort.desk.session.progress.relevance_model_of`.
    """
    if shown is None or not shown.ranking.is_sorted:
        return None
    ranking, current = shown.ranking, whole_store()
    store().without_guard(Right.SEE, ranking.report)
    state = lists_state(current, ranking.ranker, ranking.issue, shown.id)
    n_reports = len(catalogue.reports(current, retired=True))
    key = current.name, ranking.ranker, ranking.issue, (*state, n_reports)
    return _cached_relevance_models(*key, shown.id)[ranking.report]


def visible_reports() -> tuple[str, ...] | None:
    """Return the codes of the reports that the user may view. None means all reports."""
    if visitor.may_manage():
        return None
    return tuple(report.code for report in catalogue.reports(store(), retired=True))


def _whole_state() -> State:
    return State(whole_store().name, whole_store().read_once("outcomes state", outcomes.outcomes_state), None)


@cache_by_state
def _tables(state: State, replay: int | None) -> Tables:
    def make(report: str | None) -> Tables:
        return table.scores_and_not_evaluable(whole_store(), report=report, replay=replay)

    return tables_by_report(state, ("scores", replay), make)


@cache_by_state
def _tables_by_source(state: State) -> pd.DataFrame:
    return table.scores_by_source(whole_store())


@cache_by_state
def _stop_audits(state: State, audits_state: tuple[int, int], replay: int | None) -> pd.DataFrame:
    return stop_audit.table(read_stop_audits(whole_store()), replay)


@cache_by_state
def _effort(state: State, n_choices: int, replay: int | None, ranker: str) -> pd.DataFrame:
    table = newest_rows(rows_of(whole_store(), _tables(state, replay)[0], ranker))
    since = date.max if table.empty else table["issue"].min().date()
    return compute_effort(table, _last_in_list(state, since), _work(state, since))


@cache_by_state
def _newest_issues(state: State, n_choices: int, replay: int | None, ranker: str) -> list[pd.Timestamp]:
    return sorted(newest_rows(rows_of(whole_store(), _tables(state, replay)[0], ranker))["issue"].unique())


@cache_by_state
def _depths(state: State, n_choices: int, replay: int | None, ranker: str, active: tuple[str, ...]) -> pd.DataFrame:
    table = newest_rows(rows_of(whole_store(), _tables(state, replay)[0], ranker))
    return add_depth(table[table["report"].isin(active)])


@cache_by_state
def _decline_p_values(
    state: State, n_choices: int, replay: int | None, ranker: str, active: tuple[str, ...]
) -> dict[str, float]:
    """Test all reports for a decline, because their p-values are corrected together.

    With 65 reports, caching saves 0.1 s per page.
    """
    found = every_shift(_depths(state, n_choices, replay, ranker, active), towards="higher", p_value=value_sum_p)
    return {one.report: one.chance for one in found}


@cache_by_state
def _last_in_list(state: State, since: date) -> dict[tuple[str, date], int]:
    return last_in_list(whole_store(), since)


@cache_by_state
def _work(state: State, since: date) -> pd.DataFrame:
    """Return `work_done` since a date, cached by report.

    The cached table starts on the first day of a quarter. Otherwise, each new issue would shift the newest 52 issues,
    and all reports' work would have to be read again.
    """
    begin = since.replace(month=since.month - (since.month - 1) % 3, day=1)
    (work,) = tables_by_report(
        state, ("work", begin), lambda report: (work_done(whole_store(), begin, [report] if report else []),)
    )
    return work[work["issue"] >= pd.Timestamp(since)]


# Shared between reports, because rankings computed in the same run are based on the same past lists.
@st.cache_resource(show_spinner=False, max_entries=16)
def _cached_relevance_models(
    workspace: str, ranker: str, before: date, state: tuple[int, ...], _shown_id: int
) -> dict[str, RelevanceModel]:
    return relevance_models_before(whole_store(), ranker, before, _shown_id)
