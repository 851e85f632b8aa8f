"""Tabs of the *Systems and topics* page, and its *Advanced* section with figures from Mizzaro and Robertson (2007)."""

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

USUAL = 10  # default size of a subset if there are many topics
FIGURES = {
    "hub": (
        "A topic with a high hub value distinguishes good systems from bad ones. A system with a high hub value "
        "distinguishes easy topics from hard ones."
    ),
    "authority": (
        "A system with a high authority value is good on discriminating topics. A topic with a high authority value is "
        "easy for discriminating systems."
    ),
}


def mean_axis(view: SystemsTopicsView, side: str) -> str:
    """Return the title of a chart axis that shows means. The title says which direction is better.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> mean_axis(SystemsTopicsView(systems_topics([[0, 1], [1, 1]]), OF_FILE, "score"), "topics")
    'Score, mean per topic (higher: easier)'
    """
    better = "better" if side == "systems" else "easier"
    if view.is_distance:
        return f"Distance from 100 %, mean per {view.nouns.singular(side)} (lower: {better})"
    direction = "higher" if view.sign > 0 else "lower"
    return f"{view.value[0].upper()}{view.value[1:]}, mean per {view.nouns.singular(side)} ({direction}: {better})"


def draw_figures(view: SystemsTopicsView) -> None:
    """Draw all figures from Mizzaro and Robertson (2007): tables of systems and topics, scatter plots, correlations."""
    nouns = view.nouns
    if view.sign < 0:
        st.caption("Scores of this measure are negated, so that higher is better as in Mizzaro and Robertson (2007).")
    tiles = st.container(horizontal=True, gap="large")
    for side, nodes in sides_of(view):
        figures = with_names(nouns, side, nodes.sort_values("mean", ascending=False))
        with tiles.container(width=WIDE):
            st.dataframe(figures, hide_index=True, height=height_of(len(figures)), column_config=formats(figures))
    figure = choice(
        st.container(width=2 * WIDTH), "Figure to plot", list(FIGURES), name="figure", named=COLUMNS.__getitem__
    )
    st.caption(FIGURES[figure])
    tiles = st.container(horizontal=True, gap="large")
    for side, nodes in sides_of(view):
        found = tables.mean_scatter_points(nodes, figure)
        drawn = tables.powers(found["mean"]) if view.is_distance else view.sign * found["mean"]
        found = found.assign(drawn=drawn, is_selected=False)[np.isfinite(drawn)]
        if not found.empty:
            tiles.container(width=WIDE).altair_chart(
                charts.mean_scatter(
                    found,
                    mean=mean_axis(view, side),
                    value=COLUMNS[figure],
                    name=nouns.singular(side).capitalize(),
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
    """Draw the graph of systems and topics with weighted lines or, if there are many topics, a table of the weights."""
    graph, nouns = view.graph, view.nouns
    kinds = {
        "apa": f"Effectiveness of each {nouns.system}, relative to the {nouns.topic}'s mean",
        "apm": f"Ease of each {nouns.topic}, relative to the {nouns.system}'s mean",
    }
    kind = choice(st.container(width=2 * WIDTH), "Lines", list(kinds), name="lines", named=kinds.__getitem__)
    listed = tables.arcs(graph, kind)
    named = listed.rename(columns={"system": nouns.system, "topic": nouns.topic})
    drawn = tables.strongest_arcs(listed)
    if len(graph.topics) > tables.MOST_IN_GRAPH:
        st.dataframe(named, hide_index=True, height=height_of(len(named)), column_config={"weight": "Weight"})
    elif drawn.empty:
        st.info("No lines: all weights are 0.")
        return
    else:
        chart = charts.bipartite_graph(tables.lay_out(graph, drawn), drawn, system=nouns.system, topic=nouns.topic)
        layout.reserve(chart.height, "graph").altair_chart(chart)
        st.caption(f"Strongest {len(drawn):,} of {len(listed):,} lines · click a name to highlight its lines")
    offer_table("lines", "All lines as CSV", named)


def draw_agreement(view: SystemsTopicsView) -> None:
    """Draw an agreement matrix of systems or topics."""
    graph, nouns = view.graph, view.nouns
    kinds = {
        "topics_on_effectiveness": f"{nouns.topics} on which the same {nouns.systems} are good",
        "systems_on_ease": f"{nouns.systems} for which the same {nouns.topics} are easy",
        "systems_on_effectiveness": f"{nouns.systems} that are good on the same {nouns.topics}",
        "topics_on_ease": f"{nouns.topics} that are easy for the same {nouns.systems}",
    }
    kind = choice(st.container(width=2 * WIDTH), "Agreement", list(kinds), name="agree", named=kinds.__getitem__)
    side: tables.Side = "systems" if kind.startswith("systems") else "topics"
    n = len(graph.systems if side == "systems" else graph.topics)
    if n > tables.MOST_IN_MATRIX:
        st.info(
            f"Too many to draw: {n:,} {nouns.singular(side)}s; the maximum is {tables.MOST_IN_MATRIX}. Choose a "
            "different kind of agreement."
        )
        return
    cosines = tables.agreement(graph, kind)
    st.container(width=charts.width_of_matrix(n)).altair_chart(charts.matrix(cosines, name=nouns.singular(side)))
    st.caption(
        "Cosine similarity, sorted by cluster",
        help="Cosine of the differences from the mean. Unlike the unscaled sums in the download, it doesn't depend on "
        "the size of the differences.",
    )
    sums = graph.agreement(kind).loc[cosines.index, cosines.columns]
    offer_table("agreement", "Agreement as CSV", with_names(nouns, side, sums))


@st.fragment
def draw_subset(view: SystemsTopicsView) -> None:
    """Draw a subset of topics with the selected size, and show how well it preserves the order of systems."""
    nouns, graph = view.nouns, view.graph
    most = tables.max_subset_size(graph)
    usual = min(USUAL, math.ceil(most / 5))
    k = number(st.container(), f"Number of {nouns.topics}", 1, most, name="k", default=usual)
    picked = _pick_subset(graph.scores, k)
    _draw_subset_cards(picked)
    topics = with_names(nouns, "topics", graph.topics.loc[list(picked.topics)])
    order = tables.order_of_systems(graph, picked.topics).rename(
        columns={
            "system": nouns.system,
            "mean": "Mean",
            "place": "Place",
            "mean_picked": "Mean, subset",
            "place_picked": "Place, subset",
        }
    )
    curve = _order_preservation(graph.scores)
    if curve["tau"].notna().any():
        st.container(width=2 * WIDTH).altair_chart(
            charts.order_preservation_chart(curve, k, topics=nouns.topics.capitalize())
        )
    tiles = st.container(horizontal=True, gap="large")
    with tiles.container(width=NARROW):
        st.dataframe(
            topics,
            hide_index=True,
            height=height_of(len(topics)),
            column_config=formats(topics),
            column_order=[nouns.topic, "mean", "hub"],
        )
        offer_table("picked", "Subset as CSV", topics)
    with tiles.container(width=WIDE):
        st.dataframe(order, hide_index=True, height=height_of(len(order)), column_config=formats(order))
        offer_table("order", "Both orders as CSV", order)
    if nouns == OF_REPORTS:
        st.page_link(
            pages.link("compare"),
            label="Compare the rankers on these reports",
            icon=":material/compare_arrows:",
            query_params={"replay": st.query_params["replay"], "reports": list(map(str, picked.topics))},
        )


def _draw_subset_cards(picked: PickedTopics) -> None:
    def text(tau: float) -> str:
        return "not defined" if math.isnan(tau) else f"{tau:.3f}"

    interval = "" if math.isnan(picked.random_low) else f"{picked.random_low:.3f} to {picked.random_high:.3f}"
    random_help = "Mean over random subsets of the same size. The line below shows the range of 90 % of them."
    cards.draw(
        [
            Card("Kendall τ, subset", text(picked.tau), "1: the order of systems is the same as over all topics."),
            Card("Kendall τ, random subset", text(picked.random_tau), random_help, interval),
        ],
        "picked",
    )


@st.cache_data(show_spinner=False, max_entries=100)
def _pick_subset(scores: pd.DataFrame, k: int) -> PickedTopics:
    return pick_topics(systems_topics(scores), k)


@st.cache_data(show_spinner=False, max_entries=50)
def _order_preservation(scores: pd.DataFrame) -> pd.DataFrame:
    return tables.compute_order_preservation(systems_topics(scores))
