"""Reading progress cached by report equals progress read for all reports at once."""

from datetime import date, timedelta

import pandas as pd
import pytest
import streamlit as st

from presort.data import catalogue
from presort.data.editing import decisions, publications
from presort.data.learning import rankings
from presort.data.records import Decision
from presort.desk import settings
from presort.desk.scores.effort import work_done
from presort.desk.ui import cache
from presort.desk.ui.state_cache import State


@pytest.fixture
def read(finished, newest, monkeypatch):
    """Service in which the editor of one report read a ranked list and published it."""
    shown = rankings.newest_rankings(finished, "lab", newest)["krichel-2007"]
    papers = catalogue.papers(finished, newest)
    first = [papers[position - 1].paper_id for position in shown.ranking.positions[:5]]
    entries = [Decision("lab", newest, paper, "yes", "ada", ranking_id=shown.id) for paper in first]
    decisions.decide(finished, entries)
    publications.publish_report_issue(finished, "lab", newest, [], ranking_id=shown.id, person="ada")
    monkeypatch.setenv(settings.WORKSPACE, str(finished.folder))
    yield finished
    st.cache_resource.clear()


def test_the_cached_table_equals_a_direct_read(read, newest):
    for number, since in enumerate([newest, newest + timedelta(days=1), date(2000, 5, 5)]):
        at_once = work_done(read, since)
        assert len(at_once) == (since <= newest)
        found = cache._work(State(cache.store().name, (number, 0, 0), None), since).reset_index(drop=True)
        pd.testing.assert_frame_equal(found, at_once, check_dtype=not at_once.empty)
