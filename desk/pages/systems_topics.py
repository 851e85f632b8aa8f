"""Systems and topics: which rankers are good, on which reports that is easy, and which reports tell it."""

import math
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from data import rankings
from data.errors import DataError
from desk import cache
from desk import systems_topics as tables
from desk.boxes.table_file import offer
from desk.charts import systems_topics as charts
from desk.choice import choice, number
from desk.pages import compare
from desk.pages.systems_topics_scores import WIDTH, box, of_file, of_workspace
from desk.words import systems_topics as words
from desk.words.systems_topics import Nouns
from desk.words.text import plain
from metrics import PickedTopics, SystemsTopics, pick_topics, systems_topics

NAMED = 3  # topics in a sentence
USUAL = 10  # topics to pick, where there are many


class Judged(NamedTuple):
    """Systems and topics that have judged each other."""

    graph: SystemsTopics
    nouns: Nouns
    value: str
    is_distance: bool


def show() -> None:
    """Draw the graph of rankers and reports, and what it tells of both."""
    st.title(words.TITLE, anchor=False)
    st.markdown(words.INTRO)
    is_scored = rankings.outcomes_state(cache.store())[0] > 0
    if not is_scored:
        st.info(words.NO_SCORES)
    boxes = st.container(horizontal=True, vertical_alignment="bottom")
    sources = list(words.FROM) if is_scored else [words.FILE]
    source = choice(box(boxes), words.SCORES_FROM, sources, name="from", named=words.FROM.__getitem__)
    try:
        found = of_file(boxes) if source == words.FILE else of_workspace(boxes)
    except DataError as error:
        st.error(plain(str(error)))
        return
    if not found:
        return
    transform = choice(
        box(boxes),
        words.TRANSFORM,
        tables.transforms(found.scores),
        name="transform",
        named=words.TRANSFORMS.__getitem__,
        help=words.TRANSFORM_HELP,
    )
    st.caption(plain(found.said))
    is_distance = bool(found.measure and found.measure.gap)
    value = words.value_named(found.measure, transform)
    _draw(Judged(systems_topics(found.scores, transform), found.nouns, value, is_distance))


def _draw(judged: Judged) -> None:
    if judged.graph.systems["hub"].isna().any() or judged.graph.topics["hub"].isna().any():
        all_equal = np.ptp(judged.graph.scores.to_numpy()) == 0
        st.warning(words.undefined(judged.nouns, all_equal=bool(all_equal)))
    st.subheader(words.GRAPH, anchor="graph")
    picture, beside = st.columns([3, 2], gap="large")
    with picture:
        _draw_picture(judged)
    with beside:
        _draw_against_means(judged)
    st.subheader(words.EASE, anchor="ease")
    _draw_nodes(judged)
    st.subheader(words.FEWER, anchor="fewer")
    _draw_fewer(judged)
    st.subheader(words.AGREE, anchor="agreement")
    _draw_agreement(judged)
    st.subheader(words.MEASURED_IN, anchor="correlations")
    _draw_correlations(judged)


@st.fragment
def _draw_picture(judged: Judged) -> None:
    graph, nouns = judged.graph, judged.nouns
    kinds = words.kinds(nouns)
    kind = choice(st.container(), words.KIND, list(kinds), name="lines", named=kinds.__getitem__)
    listed = tables.arcs(graph, kind)
    drawn = tables.strongest(listed)
    if drawn.empty:
        st.info(words.NO_LINES)
        return
    nodes = tables.laid_out(graph, drawn)
    st.altair_chart(charts.bipartite(nodes, drawn, system=nouns.system, topic=nouns.topic))
    st.caption(words.drawn(nouns, len(drawn), len(listed)))
    _offer("lines", words.ALL_LINES, listed.rename(columns={"system": nouns.system, "topic": nouns.topic}))


@st.fragment
def _draw_against_means(judged: Judged) -> None:
    nouns = judged.nouns
    figures = words.figures(nouns)
    figure = choice(st.container(), words.AGAINST, list(figures), name="figure", named=words.COLUMNS.__getitem__)
    for side, nodes in _sides(judged):
        table = tables.against_mean(nodes, figure, side)
        drawn = tables.powers(table["mean"]) if judged.is_distance else table["mean"]
        table = table.assign(drawn=drawn)[np.isfinite(drawn)]
        if table.empty:
            continue
        chart = charts.against_mean(
            table,
            mean=words.mean_axis(nouns, side, judged.value, is_distance=judged.is_distance),
            value=words.AXES[side, figure],
            name=nouns.of(side),
            is_power=judged.is_distance,
        )
        st.altair_chart(chart)
    st.caption(figures[figure])


def _sides(judged: Judged) -> list[tuple[tables.Side, pd.DataFrame]]:
    return [("systems", judged.graph.systems), ("topics", judged.graph.topics)]


def _draw_nodes(judged: Judged) -> None:
    nouns = judged.nouns
    topics = judged.graph.topics
    if len(topics) > 2 * NAMED:
        st.markdown(plain(words.extremes(nouns, *_ends(topics["mean"]))))
        if topics["hub"].notna().all():
            st.markdown(plain(words.telling(nouns, *_ends(topics["hub"]))))
    for place, (side, nodes) in zip(st.columns(2, gap="large"), reversed(_sides(judged)), strict=True):
        table = _named(nouns, side, nodes.sort_values("hub" if side == "topics" else "mean", ascending=False))
        with place:
            st.dataframe(table, hide_index=True, height=_height(len(table)), column_config=_formats())
            _offer(side, words.figures_of(nouns, side), table)


def _ends(figure: "pd.Series[float]") -> tuple[list[str], list[str]]:
    """Name the largest, largest first, and the smallest, smallest first."""
    return list(map(str, figure.nlargest(NAMED).index)), list(map(str, figure.nsmallest(NAMED).index))


def _formats() -> dict[str, Any]:
    return {name: st.column_config.NumberColumn(words.COLUMNS[name], format="%.4g") for name in words.COLUMNS}


def _height(n_rows: int) -> int:
    return min(38 + 35 * n_rows, 318)


@st.fragment
def _draw_fewer(judged: Judged) -> None:
    nouns, graph = judged.nouns, judged.graph
    most = tables.most_picked(graph)
    usual = min(USUAL, math.ceil(most / 5))
    k = number(st.container(), words.n_to_pick(nouns), 1, most, name="k", default=usual)
    picked = _picked(graph.scores, k)
    st.markdown(plain(words.picked_says(nouns, picked, len(graph.topics))))
    topics = _named(nouns, "topics", graph.topics.loc[list(picked.topics)])
    order = tables.order_of_systems(graph, picked.topics).rename(columns=words.order_columns(nouns))
    left, middle, right = st.columns([4, 3, 5], gap="medium")
    curve = _kept_order(graph.scores)
    if curve["tau"].notna().any():
        left.altair_chart(charts.kept_order(curve, k, topics=nouns.topics.capitalize()))
    with middle:
        columns = [nouns.topic, "mean", "hub"]
        st.dataframe(
            topics, hide_index=True, height=_height(len(topics)), column_config=_formats(), column_order=columns
        )
        _offer("picked", words.PICKED, topics)
        if nouns == words.OF_REPORTS:
            st.page_link(
                st.Page(compare.show, url_path="compare"),
                label=words.COMPARE,
                icon=":material/compare_arrows:",
                query_params={"replay": st.query_params["replay"], "reports": list(map(str, picked.topics))},
            )
    with right:
        st.dataframe(order, hide_index=True, height=_height(len(order)), column_config=_formats())
        _offer("order", words.ORDER, order)


@st.cache_data(show_spinner=False, max_entries=100)
def _picked(scores: pd.DataFrame, k: int) -> PickedTopics:
    return pick_topics(systems_topics(scores), k)


@st.cache_data(show_spinner=False, max_entries=50)
def _kept_order(scores: pd.DataFrame) -> pd.DataFrame:
    return tables.kept_order(systems_topics(scores))


@st.fragment
def _draw_agreement(judged: Judged) -> None:
    graph, nouns = judged.graph, judged.nouns
    kinds = words.agreements(nouns)
    kind = choice(st.container(width=2 * WIDTH), words.AGREEMENT, list(kinds), name="agree", named=kinds.__getitem__)
    side: tables.Side = "systems" if kind.startswith("systems") else "topics"
    n = len(graph.systems if side == "systems" else graph.topics)
    if n > tables.MOST_IN_MATRIX:
        st.info(words.too_many_for_matrix(nouns, side, n, tables.MOST_IN_MATRIX))
        return
    cosines = tables.agreement(graph, kind)
    st.altair_chart(charts.matrix(cosines, name=nouns.of(side)))
    st.caption(words.AGREEMENT_MEANS)
    _offer("agreement", words.MATRIX, _named(nouns, side, graph.agreement(kind).loc[cosines.index, cosines.columns]))


def _draw_correlations(judged: Judged) -> None:
    table = tables.correlations(judged.graph)
    nouns = judged.nouns
    shown = pd.DataFrame(
        {words.PAIR: words.PAIRS.values(), nouns.systems: table["systems"], nouns.topics: table["topics"]}
    )
    column = st.column_config.NumberColumn(format="%.2f")
    st.dataframe(shown, hide_index=True, width=460, column_config={nouns.systems: column, nouns.topics: column})
    st.caption(words.correlated(nouns, len(judged.graph.systems), len(judged.graph.topics)))
    with st.container(horizontal=True):
        _offer("correlations", words.CORRELATIONS, table)
        _offer("scores", words.SCORES_SHOWN, _named(nouns, "systems", judged.graph.scores))


def _named(nouns: Nouns, side: tables.Side, table: pd.DataFrame) -> pd.DataFrame:
    """Turn names into a first column; in a file, a topic may have the very name of that."""
    return table.rename_axis(nouns.of(side), axis="index").reset_index(allow_duplicates=True)


def _offer(name: str, label: str, table: pd.DataFrame) -> None:
    offer(label, table, f"systems-topics-{name}.csv", type="tertiary")
