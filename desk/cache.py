"""What pages keep between clicks.

Data is shared by all sessions and other processes may write, so an entry stands under all that it was computed from:
what was computed from an older state is never shown. Scores stand under the state of all outcomes. A light stands under
the outcomes of its report, and takes those of the other reports, of which one more or less moves it by little, to be at
most an hour old. What explains an issue stands under all that a ranking of it depends on: earlier decisions, hints, and
which papers there are.
"""

from datetime import date, timedelta
from pathlib import Path

import pandas as pd
import streamlit as st

from data import catalogue, rankings, reviews
from data.hints import hints
from data.store import Store, open_store
from desk import evaluation, reading, settings, why
from desk.why import Explained
from ranker.light import Light, fit_lights
from ranker.versions import RECIPES

KEPT = timedelta(hours=1)


def store() -> Store:
    """Give the workspace of this server, opened once."""
    return _open(settings.from_environment().workspace.resolve())


def all_scores(replay: int | None) -> pd.DataFrame:
    """Give `evaluation.scores` of all reports, made anew once an outcome was added or taken away; not to be changed."""
    current = store()
    return _all_scores(current.path, rankings.outcomes_state(current), replay)


def light(report: str, ranker: str, before: date) -> Light:
    """Give the light of a report for lists that a ranker sorts, as the issues before a date tell."""
    current = store()
    own = reading.finished_issues(rankings.scored_rankings(current, report), ranker, before).get(report, [])
    outcomes = [(issue.n_papers, issue.places.tobytes()) for issue in own]
    return _light(current.path, report, ranker, before, outcomes)


def explained(ranker: str, issue: date) -> Explained:
    """Give what can say, as of now, why papers of an issue stand where a ranker puts them; making it takes a while."""
    current = store()
    sizes = [(one.date, one.n_papers) for one in catalogue.issues(current) if one.date <= issue]
    told = {report: given.up_to for report, given in hints(current).items()}
    return _explained(current.path, ranker, issue, sizes, reviews.newest_decisions(current, issue), told)


@st.cache_resource(show_spinner=False)
def _open(workspace: Path) -> Store:
    return open_store(workspace)


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=4)  # shared, not copied: it holds all outcomes
def _all_scores(path: Path, state: tuple[int, str], replay: int | None) -> pd.DataFrame:
    return evaluation.scores(store(), replay=replay)


@st.cache_data(show_spinner=False, ttl=KEPT, max_entries=1000)
def _light(path: Path, report: str, ranker: str, before: date, outcomes: list[tuple[int, bytes]]) -> Light:
    finished = reading.finished_issues(rankings.scored_rankings(store()), ranker, before)
    return fit_lights({report: [], **finished})[report]


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=2)  # each holds all papers there are
def _explained(
    path: Path, ranker: str, issue: date, sizes: list[tuple[date, int]], decided: dict[str, int], told: dict[str, int]
) -> Explained:
    return why.explained(store(), RECIPES[ranker], issue)
