"""The tabs of the page Systems and topics, and the figures of the paper (Mizzaro and Robertson 2007)."""

import math

import numpy as np
import pandas as pd
import streamlit as st

from presort.desk import pages
from presort.desk.scores.correlations import PAIRS, correlations
from presort.desk.systems_topics import charts, tables
from presort.desk.systems_topics.nouns import OF_REPORTS
from presort.desk.systems_topics.scores import WIDTH
from presort.desk.systems_topics.view import (
    COLUMNS,
    NARROW,
    WIDE,
    SystemsTopicsView,
    formats,
    height_of,
    offer_table,
    sides_of,
    with_names,
)
from presort.desk.ui import cards, layout
from presort.desk.ui.cards import Card
from presort.desk.ui.choice import choice, number
from presort.metrics import PickedTopics, pick_topics, systems_topics

USUAL = 10  # topics to pick, if there are many
FIGURES = {
    "hub": "A topic with a high hub distinguishes good systems from bad ones; a system, easy topics from hard ones.",
    "authority": "A system with a high authority is good on discriminating topics; a topic, easy for typical systems.",
}


def mean_axis(view: SystemsTopicsView, side: str) -> str:
    """Name the axis of means, with its direction.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> mean_axis(SystemsTopicsView(systems_topics([[0, 1], [1, 1]]), OF_FILE, "score"), "topics")
    'Score, mean of a topic (higher: easier)'
    """
    better = "better" if side == "systems" else "easier"
    if view.is_distance:
        return f"Distance from 100 %, mean of a {view.nouns.of(side)} (lower: {better})"
    direction = "higher" if view.sign > 0 else "lower"
    return f"{view.value[0].upper()}{view.value[1:]}, mean of a {view.nouns.of(side)} ({direction}: {better})"


def draw_figures(view: SystemsTopicsView) -> None:
    """Draw all figures of the paper: of systems and topics, against their means, and how they correlate."""
    nouns = view.nouns
    if view.sign < 0:
        st.caption("Here higher is better, as in the paper: scores of this measure have a minus sign.")
    tiles = st.container(horizontal=True, gap="large")
    for side, nodes in sides_of(view):
        figures = with_names(nouns, side, nodes.sort_values("mean", ascending=False))
        with tiles.container(width=WIDE):
            st.dataframe(figures, hide_index=True, height=height_of(len(figures)), column_config=formats(figures))
    figure = choice(
        st.container(width=2 * WIDTH), "Against the mean", list(FIGURES), name="figure", named=COLUMNS.__getitem__
    )
    st.caption(FIGURES[figure])
    tiles = st.container(horizontal=True, gap="large")
    for side, nodes in sides_of(view):
        found = tables.against_mean(nodes, figure)
        drawn = tables.powers(found["mean"]) if view.is_distance else view.sign * found["mean"]
        found = found.assign(drawn=drawn, is_selected=False)[np.isfinite(drawn)]
        if not found.empty:
            tiles.container(width=WIDE).altair_chart(
                charts.against_mean(
                    found,
                    mean=mean_axis(view, side),
                    value=COLUMNS[figure],
                    name=nouns.of(side).capitalize(),
                    is_power=view.is_distance,
                    is_share=view.is_share,
                )
            )
    table = correlations(view.graph)
    shown = pd.DataFrame(
        {"Correlation (Pearson)": PAIRS.values(), nouns.systems: table["systems"], nouns.topics: table["topics"]}
    )
    column = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(shown, hide_index=True, width=460, column_config={nouns.systems: column, nouns.topics: column})
    with st.container(horizontal=True):
        offer_table("correlations", "Correlations as CSV", table)
        offer_table("scores", "Scores as CSV", with_names(nouns, "systems", view.graph.scores.T))


def draw_graph(view: SystemsTopicsView) -> None:
    """Draw systems and topics, and weighted lines between them; of many topics, a table of the weights."""
    graph, nouns = view.graph, view.nouns
    kinds = {
        "apa": f"How good each {nouns.topic} finds each {nouns.system}",
        "apm": f"How easy each {nouns.system} finds each {nouns.topic}",
    }
    kind = choice(st.container(width=2 * WIDTH), "Lines", list(kinds), name="lines", named=kinds.__getitem__)
    listed = tables.arcs(graph, kind)
    named = listed.rename(columns={"system": nouns.system, "topic": nouns.topic})
    drawn = tables.strongest(listed)
    if len(graph.topics) > tables.MOST_IN_GRAPH:
        st.dataframe(named, hide_index=True, height=height_of(len(named)), column_config={"weight": "Weight"})
    elif drawn.empty:
        st.info("All weights are 0: there is no line to draw.")
        return
    else:
        chart = charts.bipartite(tables.laid_out(graph, drawn), drawn, system=nouns.system, topic=nouns.topic)
        layout.reserve(chart.height, "graph").altair_chart(chart)
        st.caption(f"{len(drawn):,} of {len(listed):,} lines, the strongest · click a name to see its lines alone")
    offer_table("lines", "All lines as CSV", named)


def draw_agreement(view: SystemsTopicsView) -> None:
    """Draw a matrix of who agrees with whom."""
    graph, nouns = view.graph, view.nouns
    kinds = {
        "topics_on_effectiveness": f"{nouns.topics} that find the same {nouns.systems} good",
        "systems_on_ease": f"{nouns.systems} that find the same {nouns.topics} easy",
        "systems_on_effectiveness": f"{nouns.systems} that the same {nouns.topics} find good",
        "topics_on_ease": f"{nouns.topics} that the same {nouns.systems} find easy",
    }
    kind = choice(st.container(width=2 * WIDTH), "Agreement", list(kinds), name="agree", named=kinds.__getitem__)
    side: tables.Side = "systems" if kind.startswith("systems") else "topics"
    n = len(graph.systems if side == "systems" else graph.topics)
    if n > tables.MOST_IN_MATRIX:
        st.info(f"Up to {tables.MOST_IN_MATRIX} {nouns.of(side)}s can be drawn; here are {n:,}. Choose the other side.")
        return
    cosines = tables.agreement(graph, kind)
    st.container(width=charts.width_of_matrix(n)).altair_chart(charts.matrix(cosines, name=nouns.of(side)))
    st.caption(
        "Cosines, those who agree next to each other",
        help="Agreement without its size, so that weak and strong ones compare. The download has the sums.",
    )
    sums = graph.agreement(kind).loc[cosines.index, cosines.columns]
    offer_table("agreement", "Agreement as CSV", with_names(nouns, side, sums))


@st.fragment
def draw_subset(view: SystemsTopicsView) -> None:
    """Draw how well as many topics as are asked for keep the order of the systems, and which ones they are."""
    nouns, graph = view.nouns, view.graph
    most = tables.most_picked(graph)
    usual = min(USUAL, math.ceil(most / 5))
    k = number(st.container(), f"Number of {nouns.topics}", 1, most, name="k", default=usual)
    picked = _picked(graph.scores, k)
    _draw_picked_cards(picked)
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
    tiles = st.container(horizontal=True, gap="large")
    with tiles.container(width=NARROW):
        st.dataframe(
            topics,
            hide_index=True,
            height=height_of(len(topics)),
            column_config=formats(topics),
            column_order=[nouns.topic, "mean", "hub"],
        )
        offer_table("picked", "Picked as CSV", topics)
    with tiles.container(width=WIDE):
        st.dataframe(order, hide_index=True, height=height_of(len(order)), column_config=formats(order))
        offer_table("order", "Both orders as CSV", order)
    if nouns == OF_REPORTS:
        st.page_link(
            pages.link("compare"),
            label="Compare the rankers on these reports only",
            icon=":material/compare_arrows:",
            query_params={"replay": st.query_params["replay"], "reports": list(map(str, picked.topics))},
        )


def _draw_picked_cards(picked: PickedTopics) -> None:
    def text(tau: float) -> str:
        return "not defined" if math.isnan(tau) else f"{tau:.3f}"

    interval = "" if math.isnan(picked.random_low) else f"{picked.random_low:.3f} to {picked.random_high:.3f}"
    random_help = "Mean, and the range of nine draws of ten."
    cards.draw(
        [
            Card("Kendall τ, picked", text(picked.tau), "1: the same order as over all topics."),
            Card("Kendall τ, at random", text(picked.random_tau), random_help, interval),
        ],
        "picked",
    )


@st.cache_data(show_spinner=False, max_entries=100)
def _picked(scores: pd.DataFrame, k: int) -> PickedTopics:
    return pick_topics(systems_topics(scores), k)


@st.cache_data(show_spinner=False, max_entries=50)
def _kept_order(scores: pd.DataFrame) -> pd.DataFrame:
    return tables.kept_order(systems_topics(scores))
