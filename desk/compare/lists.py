"""Two rankers list by list, on the page Compare: how far they are apart, and both lists of the one that is picked."""

from typing import Any

import pandas as pd
import streamlit as st

from presort.desk import pages
from presort.desk.compare import charts, tables
from presort.desk.compare import figure_words as words
from presort.desk.compare.figures import ROWS, answer
from presort.desk.natural_order.charts import two_lists as lists_chart
from presort.desk.scores.pairs import Paired
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.two_lists import two_lists
from presort.desk.text import counted, plain
from presort.desk.ui import cache
from presort.desk.ui.download import offer
from presort.desk.ui.report_choice import ranking_address
from presort.desk.ui.score_choice import measure_choice

PICKED = "picked"  # the report issue that is open, in the address


@st.fragment
def draw(paired: Paired, replay: int | None, a: str, b: str) -> None:
    """Draw how far two rankers are apart; once opened, list by list, and both lists of the one that was picked."""
    answer("How far apart are they?", words.apart_says(*tables.apart(paired, a, b)))
    details = st.expander("List by list", PICKED in st.query_params, key="lists", bind="query-params")
    if details.open:
        with details:
            _draw_lists(paired, replay, a, b)


def _draw_lists(paired: Paired, replay: int | None, a: str, b: str) -> None:
    name = measure_choice(st.container(width=420), "relative_last_position")
    measure = MEASURES[name]
    table = tables.point_texts(paired, a, b, name)
    table["is_picked"] = table["at"] == st.query_params.get(PICKED)
    drawn = tables.drawable(table)
    if not drawn.empty:
        st.altair_chart(charts.scatter(drawn, a, b, measure), key="scatter", on_select=_pick_point)
    st.caption(plain(words.scatter_caption(a, measure, len(table) - len(drawn))))
    for _, point in table[table["is_picked"]].iterrows():  # one at most
        _draw_picked(paired, point, replay, a, b)
    st.dataframe(
        table,
        key="scatter-rows",
        on_select=lambda: _pick_row(table["at"]),
        selection_mode="single-row",
        hide_index=True,
        height=ROWS,
        column_order=list(words.POINT_COLUMNS),
        column_config=_point_columns(a, b),
    )
    as_file = table.drop(columns=["drawn_a", "drawn_b", "at", "is_picked"]).assign(measure=name, ranker_a=a, ranker_b=b)
    offer("Download all lists as CSV", as_file, "compare-report-issues.csv")


def _point_columns(a: str, b: str) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    heads = {name: words.column_head(head, a, b) for name, head in words.POINT_COLUMNS.items()}
    return {
        **heads,
        "report": st.column_config.Column(heads["report"], pinned=True),
        "issue": st.column_config.DateColumn(heads["issue"], format="YYYY-MM-DD"),
        "apart": number(
            heads["apart"],
            format="%+d",
            help="By how many papers the last relevant one stands earlier with the first ranker than with the other.",
        ),
        "shown_a": st.column_config.TextColumn(heads["shown_a"], alignment="right"),
        "shown_b": st.column_config.TextColumn(heads["shown_b"], alignment="right"),
    }


def _pick_point() -> None:
    if picked := st.session_state["scatter"]["selection"].get(charts.CLICKED):
        st.query_params[PICKED] = picked[0]["at"]


def _pick_row(names: "pd.Series[str]") -> None:
    if rows := st.session_state["scatter-rows"]["selection"]["rows"]:
        st.query_params[PICKED] = names.iloc[rows[0]]


def _draw_picked(paired: Paired, point: "pd.Series[Any]", replay: int | None, a: str, b: str) -> None:
    """Draw a report issue as both rankers sorted it."""
    issue = point["issue"].date()
    papers = counted(point["n_papers"], "paper")
    text = f"{point['report']} · {issue} · {papers}, {point['n_relevant']:,} relevant"
    st.markdown(f"**{plain(text)}**")
    better, worse = (b, a) if point["sign"] > 0 else (a, b)
    scores = cache.for_comparison(replay)
    of_issue = scores[(scores["report"] == point["report"]) & (scores["issue"] == point["issue"])]
    if any(paired.n_by_source.values()):  # of a ranker with rankings of several sources, the one compared
        of_issue = of_issue[of_issue["source"] == next(iter(paired.n_by_source))]
    rows = {row["ranker"]: row for _, row in of_issue.iterrows()}
    if point["sign"]:
        both = two_lists(cache.store(), rows[better], rows[worse])
        st.altair_chart(lists_chart(both.relevant, (better, worse), int(point["n_papers"])))
    else:
        st.write(
            plain(
                f"{a} and {b} put every relevant paper at the same place; the last one stands at {point['last_a']:,}."
            )
        )
    for name in (a, b):
        st.page_link(
            pages.link("review"),
            label=plain(f"Open the list by {name}"),
            icon=":material/checklist:",
            query_params=ranking_address(point["report"], issue, rows[name]["ranking_id"]),
        )
