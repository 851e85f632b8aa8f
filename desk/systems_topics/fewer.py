"""How few topics would do to keep the order of the systems: a part of the page Systems and topics."""

import math

import pandas as pd
import streamlit as st

from presort.desk import pages
from presort.desk.systems_topics import charts, tables, words
from presort.desk.systems_topics.nouns import OF_REPORTS
from presort.desk.systems_topics.scores import WIDTH
from presort.desk.systems_topics.view import (
    NARROW,
    WIDE,
    SystemsTopicsView,
    formats,
    height_of,
    offer_table,
    with_names,
)
from presort.desk.text import plain
from presort.desk.ui.choice import number
from presort.metrics import PickedTopics, pick_topics, systems_topics

USUAL = 10  # topics to pick, where there are many


@st.fragment
def draw_fewer(view: SystemsTopicsView) -> None:
    """Draw how well as many topics as are asked for keep the order, and which ones they are."""
    nouns, graph = view.nouns, view.graph
    most = tables.most_picked(graph)
    usual = min(USUAL, math.ceil(most / 5))
    k = number(st.container(), f"Evaluate on so many {nouns.topics} only", 1, most, name="k", default=usual)
    picked = _picked(graph.scores, k)
    st.markdown(plain(words.picked_says(nouns, picked, len(graph.topics))))
    topics = with_names(nouns, "topics", graph.topics.loc[list(picked.topics)])
    order = tables.order_of_systems(graph, picked.topics).rename(
        columns={
            "system": nouns.system,
            "mean": "Mean",
            "place": "Place",
            "mean_picked": "Mean, picked",
            "place_picked": "Place, picked",
        }
    )
    curve = _kept_order(graph.scores)
    if curve["tau"].notna().any():
        st.container(width=2 * WIDTH).altair_chart(charts.kept_order(curve, k, topics=nouns.topics.capitalize()))
    row = st.container(horizontal=True, gap="large")
    with row.container(width=NARROW):
        columns = [nouns.topic, "mean", "hub"]
        st.dataframe(
            topics, hide_index=True, height=height_of(len(topics)), column_config=formats(topics), column_order=columns
        )
        offer_table("picked", "Picked as CSV", topics)
    with row.container(width=WIDE):
        st.dataframe(order, hide_index=True, height=height_of(len(order)), column_config=formats(order))
        offer_table("order", "Both orders as CSV", order)
    if nouns == OF_REPORTS:
        st.page_link(
            pages.link("compare"),
            label="Compare the rankers on these reports only",
            icon=":material/compare_arrows:",
            query_params={"replay": st.query_params["replay"], "reports": list(map(str, picked.topics))},
        )


@st.cache_data(show_spinner=False, max_entries=100)
def _picked(scores: pd.DataFrame, k: int) -> PickedTopics:
    return pick_topics(systems_topics(scores), k)


@st.cache_data(show_spinner=False, max_entries=50)
def _kept_order(scores: pd.DataFrame) -> pd.DataFrame:
    return tables.kept_order(systems_topics(scores))
