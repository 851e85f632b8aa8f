"""The pictures of systems and topics: who judges whom, and hubs and authorities against means."""

import numpy as np
import streamlit as st

from presort.desk.systems_topics import charts, tables, words
from presort.desk.systems_topics.view import SystemsTopicsView, offer_table, sides_of
from presort.desk.text import plain
from presort.desk.ui.choice import choice


@st.fragment
def draw_lines(view: SystemsTopicsView) -> None:
    """Draw systems and topics, and lines between them."""
    graph, nouns = view.graph, view.nouns
    kinds = {
        "apa": f"how good each {nouns.topic} finds each {nouns.system}",
        "apm": f"how easy each {nouns.system} finds each {nouns.topic}",
    }
    kind = choice(st.container(), "Lines", list(kinds), name="lines", named=kinds.__getitem__)
    listed = tables.arcs(graph, kind)
    drawn = tables.strongest(listed)
    if drawn.empty:
        st.info("All weights are 0: there is no line to draw.")
        return
    nodes = tables.laid_out(graph, drawn)
    st.altair_chart(charts.bipartite(nodes, drawn, system=nouns.system, topic=nouns.topic))
    st.caption(words.drawn(nouns, len(drawn), len(listed)))
    offer_table("lines", "All lines as CSV", listed.rename(columns={"system": nouns.system, "topic": nouns.topic}))


@st.fragment
def draw_against_means(view: SystemsTopicsView) -> None:
    """Draw hubs or authorities of both against their means."""
    nouns = view.nouns
    figures = {
        "hub": (
            f"Hub: a {nouns.topic} that tells good {nouns.system}s from bad ones; a {nouns.system} that finds easy "
            "what all find easy."
        ),
        "authority": (
            f"Authority: a {nouns.system} that telling {nouns.topic}s find good; a {nouns.topic} that typical "
            f"{nouns.system}s find easy."
        ),
    }
    figure = choice(st.container(), "Against the mean", list(figures), name="figure", named=words.COLUMNS.__getitem__)
    for side, nodes in sides_of(view):
        table = tables.against_mean(nodes, figure, side)
        drawn = tables.powers(table["mean"]) if view.is_distance else table["mean"]
        table = table.assign(drawn=drawn)[np.isfinite(drawn)]
        if table.empty:
            continue
        chart = charts.against_mean(
            table,
            mean=words.mean_axis(nouns, side, view.value, is_distance=view.is_distance),
            value=words.AXES[side, figure],
            name=nouns.of(side),
            is_power=view.is_distance,
        )
        st.altair_chart(chart)
        if len(table) > charts.MOST_BESIDE_LABELS and table["is_far"].any():
            st.caption(plain(f"In colour: {'; '.join(table.loc[table['is_far'], 'label'])}."))
    st.caption(figures[figure])
