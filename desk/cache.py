"""What pages keep between clicks.

Data is shared by all sessions and other processes may write, so every entry stands under the workspace's revision
number: what was computed from an older state is never shown.
"""

from datetime import timedelta
from pathlib import Path

import pandas as pd
import streamlit as st

from data import catalogue
from data.store import Store, open_store
from desk import evaluation, settings

KEPT = timedelta(hours=1)


def store() -> Store:
    """Give the workspace of this server, opened once."""
    return _open(settings.from_environment().workspace.resolve())


def scores(report: str, replay: int | None) -> pd.DataFrame:
    """Give `evaluation.scores` of one report as of now."""
    current = store()
    return _scores(current.path, catalogue.revision(current), report, replay)


@st.cache_resource(show_spinner=False)
def _open(workspace: Path) -> Store:
    return open_store(workspace)


@st.cache_data(show_spinner=False, ttl=KEPT, max_entries=200)
def _scores(path: Path, revision: int, report: str, replay: int | None) -> pd.DataFrame:
    return evaluation.scores(store(), report=report, replay=replay)
