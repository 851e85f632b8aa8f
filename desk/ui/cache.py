"""What pages keep between clicks.

Data is shared by all sessions and other processes may write, so an entry stands under all that it was computed from:
what was computed from an older state is never shown. Scores stand under the state of all outcomes. A light stands under
the outcomes of its report, and takes those of the other reports, of which one more or less moves it by little, to be at
most an hour old. What explains an issue stands under all that a ranking of it depends on: earlier decisions, hints, and
which papers there are.
"""

import atexit
from contextlib import suppress
from datetime import date, timedelta
from pathlib import Path
from threading import Thread

import pandas as pd
import streamlit as st

from data.errors import DataError
from data.learning import rankings
from data.store import Store, open_store
from desk import settings
from desk.scores import table
from desk.sheet import progress, unread
from ranker.light import Light

KEPT = timedelta(hours=1)


def store() -> Store:
    """Return the workspace of this server, opened once."""
    return _open(settings.from_environment().workspace.resolve())


def all_scores(replay: int | None) -> pd.DataFrame:
    """Return `desk.scores.table.scores` of all reports, made anew once outcomes came or went; not to be changed."""
    return _tables(replay)[0]


def not_judged(replay: int | None) -> pd.DataFrame:
    """Return `desk.scores.table.not_judged` of all reports, as `all_scores`; not to be changed."""
    return _tables(replay)[1]


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


def light(report: str, ranker: str, before: date) -> Light:
    """Return the light of a report for lists that a ranker sorts, as the issues before a date tell."""
    current = store()
    own = progress.finished_issues(rankings.scored_rankings(current, report), ranker, before).get(report, [])
    outcomes = [(issue.n_papers, issue.places.tobytes()) for issue in own]
    return _light(current.path, report, ranker, before, outcomes)


def _tables(replay: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    current = store()
    return _kept_tables(current.path, rankings.outcomes_state(current), replay)


@st.cache_resource(show_spinner=False)
def _open(workspace: Path) -> Store:
    store = open_store(workspace)
    atexit.register(store.close)  # or a log would be left beside the database
    return store


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=4)  # shared, not copied: it holds all outcomes
def _kept_tables(path: Path, state: tuple[int, str], replay: int | None) -> tuple[pd.DataFrame, pd.DataFrame]:
    return table.scores_and_not_judged(store(), replay=replay)


@st.cache_data(show_spinner=False, ttl=KEPT, max_entries=1000)
def _light(path: Path, report: str, ranker: str, before: date, outcomes: list[tuple[int, bytes]]) -> Light:
    return unread.light_before(store(), report, ranker, before)
