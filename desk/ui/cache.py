"""Cache of the pages between clicks.

All sessions share the data and other processes may write. So the key of an entry holds everything it was computed from,
and results of an older state are never shown. Scores are keyed by the state of all outcomes, and also cached by report:
publishing one report doesn't recompute the others. The forecast model of a list is keyed by the past lists it was
learned from. Explanations are keyed by all inputs of a ranking: earlier decisions, hints, and the papers.
"""

from contextlib import suppress
from datetime import date, timedelta
from threading import Thread
from typing import NamedTuple

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.errors import DataError
from presort.data.learning import outcomes
from presort.data.learning.sorted_lists import lists_state
from presort.data.records import StoredRanking
from presort.data.rights import Right
from presort.desk.scores.table import scores_by_source
from presort.desk.sheet.recalls import recalls_before
from presort.desk.ui import visitor
from presort.desk.ui.kept_scores import KeptScores
from presort.desk.ui.visitor import store as store
from presort.desk.ui.visitor import whole_store
from presort.ranker.recall import Recall

KEPT = timedelta(hours=1)


class State(NamedTuple):
    """What `all_scores` and `not_judged` give changes with this alone: so what is computed of them stands under it.

    Attributes
    ----------
    workspace : str
    scored : State
        As `outcomes_state` has it.
    reports : tuple of str, optional
        Those that who is at the desk may look at; None for all.
    """

    workspace: str
    scored: outcomes.State
    reports: tuple[str, ...] | None


def state() -> State:
    """Return of what state the scores are that who is at the desk may see."""
    return State(store().name, outcomes.outcomes_state(store()), visible_reports())


def all_scores(replay: int | None) -> pd.DataFrame:
    """Return `presort.desk.scores.table.scores` of all reports that may be seen; not to be changed.

    They are made anew once outcomes came or went.
    """
    return seen(_tables(replay)[0])


def for_comparison(replay: int | None) -> pd.DataFrame:
    """Return `all_scores`, or with several sources `presort.desk.scores.table.scores_by_source`, to compare rankers.

    Not to be changed.
    """
    official = all_scores(replay)
    if replay is not None or "source" not in official or official["source"].nunique() < 2:
        return official
    return seen(_kept_by_source(whole_store().name, outcomes.outcomes_state(whole_store())))


def not_judged(replay: int | None) -> pd.DataFrame:
    """Return `desk.scores.table.not_judged` of all reports that may be seen, as `all_scores`; not to be changed."""
    return seen(_tables(replay)[1])


def seen(found: pd.DataFrame) -> pd.DataFrame:
    """Return the rows of reports that who is at the desk may look at; the table itself, if they may look at all."""
    reports = visible_reports()
    return found if reports is None else found[found["report"].isin(reports)]


def make_anew() -> Thread:
    """Have the scores made anew beside the pages, as outcomes have just come, and return what makes them.

    Who looks next need not wait, or only for the rest of it: nothing is made twice.
    """
    thread = Thread(target=_make_scores, name="make-scores", daemon=True)
    thread.start()
    return thread


def _make_scores() -> None:
    with suppress(DataError):  # the page that needs them says it
        _tables(None)


def recall_for(shown: StoredRanking | None) -> Recall | None:
    """Return the forecast model of a report for the list that a ranking shows. None if it is not sorted.

    It is that of `presort.desk.sheet.recalls.recall_of`.
    """
    if shown is None or not shown.ranking.is_sorted:
        return None
    ranking, current = shown.ranking, whole_store()
    store().cleared(Right.SEE, ranking.report)
    state = lists_state(current, ranking.ranker, ranking.issue, shown.id)
    n_reports = len(catalogue.reports(current, retired=True))
    key = current.name, ranking.ranker, ranking.issue, (*state, n_reports)
    return _kept_recalls(*key, shown.id)[ranking.report]


def visible_reports() -> tuple[str, ...] | None:
    """Return the codes of the reports that the visitor may look at. None means all."""
    if visitor.may_manage():
        return None
    return tuple(report.code for report in catalogue.reports(store(), retired=True))


def _tables(replay: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    current = whole_store()
    return _kept_tables(current.name, outcomes.outcomes_state(current), replay)


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=4)  # shared, not copied: it holds all outcomes
def _kept_tables(workspace: str, state: outcomes.State, replay: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    return _by_report(workspace, replay).tables(whole_store())


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=1)  # shared, not copied: it holds all outcomes
def _kept_by_source(workspace: str, state: outcomes.State) -> pd.DataFrame:
    return scores_by_source(whole_store())


@st.cache_resource(show_spinner=False, max_entries=4)  # as long as the desk runs: of most reports nothing changes
def _by_report(workspace: str, replay: int | None) -> KeptScores:
    return KeptScores(replay)


# Shared, not copied: rankings made one after the other know the same lists, and one entry serves all their reports.
@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=16)
def _kept_recalls(
    workspace: str, ranker: str, before: date, state: tuple[int, ...], _shown_id: int
) -> dict[str, Recall]:
    return recalls_before(whole_store(), ranker, before, _shown_id)
