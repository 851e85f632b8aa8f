"""What editors were told of where to stop and what was found there, kept between clicks."""

from datetime import timedelta

import pandas as pd
import streamlit as st

from presort.data.learning.promises import kept_promises, promises_state
from presort.desk.scores import promises
from presort.desk.scores.sorters import rows_of
from presort.desk.ui import cache
from presort.desk.ui.visitor import whole_store

KEPT = timedelta(hours=1)


def promises_of(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return the promises of a ranker, or of `SORTED`, that can be held against something, and may be seen."""
    store = cache.store()
    return rows_of(store, cache.seen(_kept(store.name, promises_state(store), replay)), ranker)


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=20)
def _kept(workspace: str, state: tuple[int, int], replay: int | None) -> pd.DataFrame:
    return promises.table(kept_promises(whole_store()), replay)
