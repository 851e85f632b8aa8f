"""The *Reports* and *Lists* tabs on the *Compare* page. They compare two rankers by report and by list."""

from typing import Any

import pandas as pd
import streamlit as st

from presort.desk import pages
from presort.desk.compare import charts, tables
from presort.desk.natural_order.charts import two_lists as lists_chart
from presort.desk.scores import papers_saved
from presort.desk.scores.pairs import PairedScores
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import keep_same_conditions
from presort.desk.scores.two_lists import two_lists
from presort.desk.text import escape
from presort.desk.ui import cache, layout
from presort.desk.ui.download import offer
from presort.desk.ui.report_choice import ranking_address
from presort.desk.ui.score_choice import measure_choice

ROWS = 380  # height of a long table in pixels
BARS = "report-bars"  # key of the chart of reports
PICKED = "picked"  # query parameter that contains the selected report issue
EARLIER_BY = "Number of papers by which {} ranks the last relevant paper earlier than {}."


def draw_reports(paired: PairedScores, replay: int | None, ranker: str, opponent: str) -> None:
    """Draw the number of papers saved per list in each report. A click on a report opens it in *My report*."""
    reports = papers_saved.average_by_report(paired, ranker, opponent)
    bars = charts.report_bars(reports, ranker, opponent)
    event = layout.reserve(bars.height, "reports").altair_chart(bars, key=BARS, on_select="rerun")
    offer("Download the reports as CSV", reports.assign(ranker=ranker, opponent=opponent), "compare-reports.csv")
    if clicked := event["selection"].get(charts.CLICKED):
        query = {"report": clicked[0]["report"], "replay": str(replay or 0), "ranker": ranker}
        st.switch_page(pages.link("report"), query_params=query)


def draw_lists(paired: PairedScores, replay: int | None, ranker: str, opponent: str) -> None:
    """Draw a list-by-list comparison of two rankers, and both rankings of the selected report issue."""
    name = measure_choice(st.container(width=420), "relative_last_position")
    measure = MEASURES[name]
    table = tables.point_texts(paired, ranker, opponent, name)
    table["is_picked"] = table["at"] == st.query_params.get(PICKED)
    drawn = tables.plottable_points(table)
    if not drawn.empty:
        chart = charts.scatter(drawn, ranker, opponent, measure)
        layout.reserve(chart.height, "scatter").altair_chart(chart, key="scatter", on_select=_pick_point)
    n_left_out = len(table) - len(drawn)
    st.caption(
        f"{len(drawn):,} lists plotted" + (f" · {n_left_out:,} without a value to plot" if n_left_out else ""),
        help="Each point is a report issue. Above the diagonal, the value on the vertical axis is larger. Click a "
        "point or a row to open both lists.",
    )
    for _, point in table[table["is_picked"]].iterrows():  # at most one row
        _draw_report_issue(paired, point, replay, ranker, opponent)
    st.dataframe(
        table,
        key="scatter-rows",
        on_select=lambda: _pick_row(table["at"]),
        selection_mode="single-row",
        hide_index=True,
        height=ROWS,
        column_order=["report", "issue", "apart", "shown_a", "shown_b", "n_relevant", "n_papers"],
        column_config=_point_columns(ranker, opponent),
    )
    as_file = table.drop(columns=["drawn_a", "drawn_b", "at", "is_picked"])
    as_file = as_file.assign(measure=name, ranker_a=ranker, ranker_b=opponent)
    offer("Download all lists as CSV", as_file, "compare-report-issues.csv")


def _point_columns(ranker: str, opponent: str) -> dict[str, Any]:
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    return {
        "report": st.column_config.Column("Report", pinned=True),
        "issue": st.column_config.DateColumn("Issue", format="YYYY-MM-DD"),
        "apart": number("Papers saved", format="%+d", help=EARLIER_BY.format(ranker, opponent)),
        "shown_a": text(ranker, alignment="right"),
        "shown_b": text(opponent, alignment="right"),
        "n_relevant": "Relevant",
        "n_papers": "Papers",
    }


def _pick_point() -> None:
    if picked := st.session_state["scatter"]["selection"].get(charts.CLICKED):
        st.query_params[PICKED] = picked[0]["at"]


def _pick_row(names: "pd.Series[str]") -> None:
    if rows := st.session_state["scatter-rows"]["selection"]["rows"]:
        st.query_params[PICKED] = names.iloc[rows[0]]


def _draw_report_issue(
    paired: PairedScores, point: "pd.Series[Any]", replay: int | None, ranker: str, opponent: str
) -> None:
    """Draw the positions of a report issue's relevant papers in both rankings, with links to the two lists."""
    issue = point["issue"].date()
    st.subheader(escape(f"{point['report']} · {issue}"), anchor=False)
    better, worse = (opponent, ranker) if point["sign"] > 0 else (ranker, opponent)
    compared = rankings(paired, replay)
    is_picked = (compared["report"] == point["report"]) & (compared["issue"] == point["issue"])
    rows = {row["ranker"]: row for _, row in compared[is_picked].iterrows()}
    if point["sign"]:
        both = two_lists(cache.store(), rows[better], rows[worse])
        st.altair_chart(lists_chart(both.relevant, (better, worse), int(point["n_papers"])))
    else:
        st.caption(
            "Equal: both rankers put all relevant papers in the same positions. The last relevant paper is at position "
            f"{point['last_a']:,}."
        )
    with st.container(horizontal=True):
        for name in (ranker, opponent):
            st.page_link(
                pages.link("review"),
                label=escape(f"Open the list ranked by {name}"),
                icon=":material/checklist:",
                query_params=ranking_address(point["report"], issue, rows[name]["ranking_id"]),
                width="content",
            )


def rankings(paired: PairedScores, replay: int | None) -> pd.DataFrame:
    """Return the scored rankings to compare, with one row per report issue and ranker."""
    scores = cache.comparison_scores(replay)
    scores = scores[scores["ranker"].isin(paired.rankers)]
    compared = scores.merge(paired.cases[["report", "issue"]], on=["report", "issue"])
    if any(paired.n_by_source.values()):  # the comparison uses only the first source
        return compared[compared["source"] == next(iter(paired.n_by_source))]
    return keep_same_conditions(compared, len(paired.rankers))
