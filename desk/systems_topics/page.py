"""Systems and topics: which rankers are good, on which reports that is easy, and which reports tell it."""

import numpy as np
import pandas as pd
import streamlit as st

from presort.data.errors import DataError
from presort.desk.scores.correlations import PAIRS, correlations
from presort.desk.systems_topics import charts, tables, words
from presort.desk.systems_topics.fewer import draw_fewer
from presort.desk.systems_topics.pictures import draw_against_means, draw_lines
from presort.desk.systems_topics.scores import WIDTH, box, of_file, of_workspace
from presort.desk.systems_topics.view import (
    IN_WORDS,
    WIDE,
    SystemsTopicsView,
    formats,
    height_of,
    offer_table,
    sides_of,
    with_names,
)
from presort.desk.text import counted, plain
from presort.desk.ui import empty, landing, visitor
from presort.desk.ui.choice import choice
from presort.metrics import systems_topics

NAMED = 3  # topics in a sentence


@visitor.one_snapshot()
def show() -> None:
    """Draw the graph of rankers and reports, and what it tells of both."""
    st.title("Systems and topics", anchor=False)
    st.markdown(
        "Rankers judge reports, and reports judge rankers. A report is *easy* where rankers score well. It *tells good "
        "rankers from bad ones* where it orders them as all reports do together: that is its hub."
    )
    is_scored = not empty.lacks_figures()
    if not is_scored:
        st.caption("Until then a table of scores from a file can be shown.")
    boxes = st.container(horizontal=True, vertical_alignment="bottom")
    sources = list(words.FROM) if is_scored else [words.FILE]
    source = choice(box(boxes), "Scores", sources, name="from", named=words.FROM.__getitem__)
    try:
        found = of_file(boxes) if source == words.FILE else of_workspace(boxes)
    except DataError as error:
        st.error(plain(str(error)))
        return
    if not found:
        return
    transform = choice(
        box(boxes),
        "Scale of the scores",
        tables.transforms(found.scores),
        name="transform",
        named=words.TRANSFORMS.__getitem__,
        help=(
            "Log weighs what happens near 0 (means become geometric means; a 0 counts as 0.00001), logit what happens "
            "near 0 and near 1. Log needs scores from 0, logit from 0 to 1: they are offered where the scores allow it."
        ),
    )
    st.caption(plain(found.description))
    is_distance = bool(found.measure and found.measure.loss)
    value = words.value_named(found.measure, transform)
    _draw(SystemsTopicsView(systems_topics(found.scores, transform), found.nouns, value, is_distance))


def _draw(view: SystemsTopicsView) -> None:
    if view.graph.systems["hub"].isna().any() or view.graph.topics["hub"].isna().any():
        all_equal = bool(np.ptp(view.graph.scores.to_numpy()) == 0)
        st.warning(words.undefined(view.nouns, all_equal=all_equal, is_distance=view.is_distance))
    st.header("Who judges whom", anchor="graph")
    picture, right = st.columns([3, 2], gap="large")
    with picture:
        draw_lines(view)
    with right:
        draw_against_means(view)
    st.header("Easy and hard, telling and not", anchor="ease")
    _draw_nodes(view)
    st.header("Fewer will do", anchor="fewer")
    draw_fewer(view)
    st.header("Who agrees", anchor="agreement")
    _draw_agreement(view)
    st.header("How the figures go together", anchor="correlations")
    _draw_correlations(view)
    landing.land()


def _draw_nodes(view: SystemsTopicsView) -> None:
    nouns = view.nouns
    topics = view.graph.topics
    kinds = tables.kinds(topics["mean"], topics["hub"])
    if len(topics) > 2 * NAMED:
        easy, hard = (", ".join(names) for names in _ends(topics["mean"]))
        st.markdown(plain(f"Easiest {nouns.topic}s: {easy}. Hardest: {hard}."))
        if topics["hub"].notna().all():
            most, least = (", ".join(names) for names in _ends(topics["hub"]))
            st.markdown(plain(f"Good {nouns.system}s are told from bad ones best by {most}; least by {least}."))
            st.markdown(plain(words.easy_and_telling(nouns, kinds[kinds == words.kind_of_topic(1, 1)].index)))
    row = st.container(horizontal=True, gap="large")
    for side, nodes in reversed(sides_of(view)):
        table = with_names(nouns, side, nodes.sort_values("hub" if side == "topics" else "mean", ascending=False))
        if side == "topics":
            table.insert(1, words.KIND, kinds.loc[nodes.sort_values("hub", ascending=False).index].to_numpy())
        with row.container(width=WIDE + IN_WORDS * (side == "topics")):
            st.dataframe(table, hide_index=True, height=height_of(len(table)), column_config=formats(table))
            offer_table(side, f"All {nouns.of(side)}s as CSV", table)


def _ends(figure: "pd.Series[float]") -> tuple[list[str], list[str]]:
    """Name the largest, largest first, and the smallest, smallest first."""
    return list(map(str, figure.nlargest(NAMED).index)), list(map(str, figure.nsmallest(NAMED).index))


@st.fragment
def _draw_agreement(view: SystemsTopicsView) -> None:
    graph, nouns = view.graph, view.nouns
    kinds = {
        "topics_on_effectiveness": f"{nouns.topic}s that find the same {nouns.system}s good",
        "systems_on_ease": f"{nouns.system}s that find the same {nouns.topic}s easy",
        "systems_on_effectiveness": f"{nouns.system}s that the same {nouns.topic}s find good",
        "topics_on_ease": f"{nouns.topic}s that the same {nouns.system}s find easy",
    }
    kind = choice(st.container(width=2 * WIDTH), "Agreement", list(kinds), name="agree", named=kinds.__getitem__)
    side: tables.Side = "systems" if kind.startswith("systems") else "topics"
    n = len(graph.systems if side == "systems" else graph.topics)
    if n > tables.MOST_IN_MATRIX:
        st.info(
            f"A matrix of {counted(n, nouns.of(side))} can't be read; up to {tables.MOST_IN_MATRIX} are drawn. Choose "
            "the other side."
        )
        return
    cosines = tables.agreement(graph, kind)
    st.container(width=charts.width_of_matrix(n)).altair_chart(charts.matrix(cosines, name=nouns.of(side)))
    st.caption(
        "Those who agree stand next to each other. Agreement is drawn without its size, so that the weak and the "
        "strong compare; the download has the sums."
    )
    offer_table(
        "agreement",
        "Agreement as CSV",
        with_names(nouns, side, graph.agreement(kind).loc[cosines.index, cosines.columns]),
    )


def _draw_correlations(view: SystemsTopicsView) -> None:
    table = correlations(view.graph)
    nouns = view.nouns
    shown = pd.DataFrame(
        {
            "Correlation (Pearson) of": PAIRS.values(),
            nouns.systems: table["systems"],
            nouns.topics: table["topics"],
        }
    )
    column = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(shown, hide_index=True, width=460, column_config={nouns.systems: column, nouns.topics: column})
    st.caption(words.correlated(nouns, len(view.graph.systems), len(view.graph.topics)))
    with st.container(horizontal=True):
        offer_table("correlations", "Correlations as CSV", table)
        offer_table("scores", "Scores as CSV", with_names(nouns, "systems", view.graph.scores))
