"""The *Systems and topics* page: hard and easy reports, and reports that distinguish good rankers from bad ones."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from presort.data.errors import DataError
from presort.desk import pages
from presort.desk.scores.effort import READING_EFFORT
from presort.desk.systems_topics import charts, details, tables
from presort.desk.systems_topics.nouns import OF_REPORTS
from presort.desk.systems_topics.scores import ScoreSelection, box, choose_file_scores, choose_workspace_scores
from presort.desk.systems_topics.view import SystemsTopicsView, height_of, offer_table, sides_of, with_names
from presort.desk.text import escape
from presort.desk.ui import cards, empty, layout, visitor
from presort.desk.ui.cards import Card
from presort.desk.ui.choice import choice
from presort.metrics import systems_topics

WORKSPACE, FILE = "workspace", "file"
FROM = {WORKSPACE: "This workspace", FILE: "A file"}
TRANSFORMS = {"identity": "Plain", "log": "Log", "logit": "Logit"}
TABS = ("Graph", "Agreement", "Subset of topics")
LEAST_FOR_TABS = 5  # minimum number of systems for the tabs; with fewer, they show little more than the table
MOST_COLUMNS = 12  # maximum number of systems that have their own columns
TABLE, POINTS = "topics", "points"  # keys of the table and of the scatter plot
SELECTED = "topic"  # query parameter
SHADE = (0, 114, 178)  # RGB colour of the best score in a row; the other scores are paler
HARDEST = "Based on the mean score over all systems."
HUBNESS = (
    "High for topics that rank the systems in the same order as all topics together. These topics distinguish good "
    "systems from bad ones."
)
TRANSFORM = (
    "Log emphasises differences near 0 (means become geometric means; 0 counts as 0.00001) and needs scores of at "
    "least 0. Logit emphasises differences near 0 and 1 and needs scores from 0 to 1."
)
UNDEFINED = "Hubness is not defined: no topic distinguishes the systems, or no system distinguishes the topics."


@visitor.one_snapshot()
def show() -> None:
    """Draw the filters, the cards, the scatter plot, the table and the tabs."""
    places = layout.draw("Systems and topics")
    with places.answer:
        is_scored = not empty.lacks_figures()
        advanced = st.expander("Advanced", icon=":material/settings:", key="advanced", bind="query-params")
    boxes = advanced.container(horizontal=True, vertical_alignment="bottom")
    source = choice(box(boxes), "Scores", list(FROM) if is_scored else [FILE], name="from", named=FROM.__getitem__)
    try:
        found = (
            choose_file_scores(boxes, places.answer)
            if source == FILE
            else choose_workspace_scores(places.filters, boxes, places.answer)
        )
    except DataError as error:
        places.answer.error(escape(str(error)))
        return
    if not found:
        return
    transform = choice(
        box(boxes),
        "Scale of the scores",
        tables.transforms(found.scores),
        name="transform",
        named=TRANSFORMS.__getitem__,
        help=TRANSFORM,
    )
    places.basis.caption(escape(found.basis))
    view = _view(found, transform)
    with places.answer:
        _draw_cards(view)
        table = tables.topic_table(view.graph, sign=view.sign)
        selected = st.query_params.get(SELECTED, "")
        _draw_scatter(view, selected)
        _draw_table(view, table, selected)
    if advanced.open:
        with advanced:
            details.draw_figures(view)
    _draw_tabs(view)


def _view(found: ScoreSelection, transform: str) -> SystemsTopicsView:
    measure, graph = found.measure, systems_topics(found.scores, transform)
    if measure is None:
        return SystemsTopicsView(graph, found.nouns, "score" if transform == "identity" else f"{transform} of score")
    label = READING_EFFORT if measure.name == "relative_last_position" else measure.label
    if measure.loss:
        return SystemsTopicsView(graph, found.nouns, f"{label} minus 1", is_distance=True)
    sign = 1 if measure.higher_is_better else -1
    is_plain = transform == "identity"
    is_share = is_plain and measure.unit.startswith("share")
    return SystemsTopicsView(graph, found.nouns, label if is_plain else f"{transform} of {label}", sign, is_share)


def _draw_cards(view: SystemsTopicsView) -> None:
    """Draw cards with the hardest, easiest, most discriminating and least discriminating topics."""
    topics, noun = view.graph.topics, view.nouns.topic
    means, hubs = topics["mean"], topics["hub"]
    found = [
        Card(f"Hardest {noun}", str(means.idxmin()), HARDEST, view.text(means.min())),
        Card(f"Easiest {noun}", str(means.idxmax()), HARDEST, view.text(means.max())),
    ]
    if hubs.notna().all():
        found += [
            Card("Most discriminating", str(hubs.idxmax()), HUBNESS, f"{hubs.max():.2f}"),
            Card("Least discriminating", str(hubs.idxmin()), HUBNESS, f"{hubs.min():.2f}"),
        ]
    cards.draw(found)
    if hubs.isna().any() or view.graph.systems["hub"].isna().any():
        near = " All scores are too close to 100 %. Choose another measure." if view.is_distance else ""
        st.warning(f"{UNDEFINED}{near}")


def _draw_scatter(view: SystemsTopicsView, selected: str) -> None:
    """Plot the topics' hubness against their means. A click on a point selects its row in the table."""
    found = tables.mean_scatter_points(view.graph.topics, "hub")
    drawn = tables.powers(found["mean"]) if view.is_distance else view.sign * found["mean"]
    found = found.assign(drawn=drawn, is_selected=found["name"].astype(str) == selected)[np.isfinite(drawn)]
    if found.empty:
        return
    chart = charts.mean_scatter(
        found,
        mean=details.mean_axis(view, "topics"),
        value="Hubness",
        name=view.nouns.topic.capitalize(),
        is_power=view.is_distance,
        is_share=view.is_share,
    )
    layout.reserve(chart.height, "scatter").altair_chart(chart, key=POINTS, on_select=_select_point)


def _select_point() -> None:
    if clicked := st.session_state[POINTS]["selection"].get(charts.CLICKED):
        st.query_params[SELECTED] = st.session_state["clicked-topic"] = str(clicked[0]["name"])
        st.session_state["clicks"] = st.session_state.get("clicks", 0) + 1


def _draw_table(view: SystemsTopicsView, table: pd.DataFrame, selected: str) -> None:
    """Draw the table of topics, hardest first. A topic that was clicked in the scatter plot comes first."""
    clicks = st.session_state.get("clicks", 0)
    is_clicked = table["topic"] == st.session_state.get("clicked-topic")
    table = pd.concat([table[is_clicked], table[~is_clicked]], ignore_index=True)
    systems = list(map(str, view.graph.scores.columns))
    if view.is_share:
        table[["mean", *(f"score_{name}" for name in systems)]] *= 100  # percent
    shown = systems if len(systems) <= MOST_COLUMNS else []
    rows = np.flatnonzero(table["topic"] == selected).tolist()
    height = height_of(len(table))
    event = layout.reserve(height, "topics").dataframe(
        _shade_scores(table, shown),
        # Streamlit keeps a table's selection in the browser. With a new key, a click in the scatter plot can change it.
        key=f"{TABLE}-{clicks}",
        on_select="rerun",
        selection_mode="single-row",
        selection_default={"selection": {"rows": rows[:1]}},
        hide_index=True,
        height=height,
        column_order=["topic", "mean", "hub", *(f"score_{name}" for name in shown), "kind"],
        column_config=_topic_columns(view, systems),
    )
    chosen = event["selection"]["rows"]
    topic = str(table["topic"].iloc[chosen[0]]) if chosen else ""
    if topic != selected:
        if topic:
            st.query_params[SELECTED] = topic
        else:
            st.query_params.pop(SELECTED, None)
        st.rerun()
    with st.container(horizontal=True, vertical_alignment="center"):
        for side, nodes in reversed(sides_of(view)):
            everything = with_names(view.nouns, side, nodes.join(view.graph.scores) if side == "topics" else nodes)
            offer_table(side, f"All {view.nouns.singular(side)}s as CSV", everything)
        if topic and view.nouns == OF_REPORTS:
            st.page_link(
                pages.link("report"),
                label=escape(f"Open {topic}"),
                icon=":material/show_chart:",
                query_params={"report": topic},
                width="content",
            )


def _shade_scores(table: pd.DataFrame, systems: list[str]) -> Any:
    """Shade the scores in each row by rank. The best score is the darkest."""
    if not systems:
        return table
    ranks = table[[f"rank_{name}" for name in systems]].to_numpy()
    strength = 0.5 * (1 - (ranks - 1) / max(len(systems) - 1, 1))
    css = pd.DataFrame(
        [[f"background-color: rgba{(*SHADE, round(float(one), 2))}" for one in row] for row in strength],
        index=table.index,
        columns=[f"score_{name}" for name in systems],
    )
    return table.style.apply(lambda _: css, axis=None, subset=css.columns)


def _topic_columns(view: SystemsTopicsView, systems: list[str]) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    score = "%.1f %%" if view.is_share else "%.4g"
    return {
        "topic": st.column_config.Column(view.nouns.topic.capitalize(), pinned=True),
        "mean": number("Mean", format=score, help=f"{view.value.capitalize()}: mean over the {view.nouns.systems}."),
        "hub": number("Hubness", format="%.2f", help=HUBNESS),
        **{f"score_{name}": number(name, format=score) for name in systems},
        "kind": st.column_config.TextColumn(
            "Kind",
            help="Easy or hard: upper or lower third by mean. Discriminating or not: upper or lower third by hubness.",
        ),
    }


def _draw_tabs(view: SystemsTopicsView) -> None:
    n_systems = len(view.graph.systems)
    if n_systems < LEAST_FOR_TABS:
        st.caption(
            f"The tabs *Graph*, *Agreement* and *Subset of topics* need at least {LEAST_FOR_TABS} {view.nouns.systems}."
        )
        return
    graph, agreement, subset = st.tabs(TABS, key="tab", bind="query-params")
    if graph.open:
        with graph:
            details.draw_graph(view)
    if agreement.open:
        with agreement:
            details.draw_agreement(view)
    if subset.open:
        with subset:
            details.draw_subset(view)
