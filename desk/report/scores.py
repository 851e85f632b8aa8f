"""Scores on the *My report* page: the chart, the table of issues, all measures, and the deepest relevant papers."""

import math
from collections.abc import Sequence
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.learning import rankings
from presort.desk import pages
from presort.desk.report.charts import HEIGHT, LENGTHS, PICKED, Event, list_lengths, measure_over_time
from presort.desk.report.figures import Figures
from presort.desk.scores import table as scores_table
from presort.desk.scores.exact_values import EXACT
from presort.desk.scores.formats import NOT_DEFINED, direction
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.shifts import NEW, newest_rows
from presort.desk.scores.table import MEASURED
from presort.desk.text import count_text, escape, screen_text
from presort.desk.ui import cache, layout, report_choice
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import measure_choice

LAST = "relative_last_position"
ROWS, ROW, HEAD = 8, 35, 38  # number of visible rows in a table, and the heights of a row and of the header in pixels
N_DEEPEST = 5  # number of lists shown with the deepest relevant papers
DEEPEST_HELP = f"Of the newest {NEW} lists, the {N_DEEPEST} in which the last relevant paper is furthest down."


def choose_measure() -> None:
    """Draw a selector for the measure, with the definition of the selected measure."""
    measure = measure_choice(st.container(width=320), LAST)
    st.caption(escape(MEASURES[measure].meaning))


def show_chart(report: str, measure: str, own: pd.DataFrame, scores: pd.DataFrame, events: Sequence[Event]) -> None:
    """Plot a measure for all rankers over the newest 52 issues, with the selected rankings in bold.

    A click on a point opens that ranking.
    """
    rows = newest_rows(scores)
    shown = rows.assign(
        day=rows["issue"].dt.strftime("%Y-%m-%d"),
        shown=format_values(measure, rows),
        drawn=scores_table.values_to_plot(measure, rows),
        is_own=rows.index.isin(own.index),
    ).drop(columns="outcome")
    is_blank, is_best = shown[measure].isna(), shown["drawn"] == -math.inf
    to_draw = shown[~is_blank & ~is_best]
    if to_draw.empty:
        st.caption(
            f"{count_text(len(shown), 'ranking')}: nothing to plot because every value is undefined or the best "
            "possible."
        )
        return
    event = layout.reserve(HEIGHT + 5, "chart").altair_chart(
        measure_over_time(to_draw, MEASURES[measure], MEASURES[measure].label, events),
        on_select="rerun",
        selection_mode=PICKED,
        key=f"chart-{report}-{measure}",
    )
    if picked := event["selection"].get(PICKED, []):
        open_ranking(report, scores, int(picked[0]["ranking_id"]))
    layout.reserve(LENGTHS + 5, "lengths").altair_chart(list_lengths(to_draw), key=f"lengths-{report}")
    notes = {
        "undefined": int(is_blank.sum()),
        "best possible order (not plotted)": int(is_best.sum()),
        "in list order (too few decisions to train)": int((~shown["is_trained"].astype(bool)).sum()),
    }
    if any(notes.values()):
        counts = " · ".join(f"{n:,} {what}" for what, n in notes.items() if n)
        st.caption(f"{count_text(len(shown), 'ranking')}: {counts}")


def show_table(report: str, measure: str, issues: pd.DataFrame, own: pd.DataFrame, scores: pd.DataFrame) -> None:
    """Draw the table of issues returned by `figures.issues_table`. A click on a row opens its ranking."""
    rankers = sorted(scores["ranker"].unique())
    number, text = st.column_config.NumberColumn, st.column_config.TextColumn
    shown = issues.assign(issue=issues["issue"].dt.strftime("%Y-%m-%d"))
    event = st.dataframe(
        shown,
        key=f"issues-{report}-{measure}",
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],
        hide_index=True,
        placeholder="",
        height=HEAD + ROW * ROWS,
        column_order=["issue", "n_papers", "n_relevant", "n_read", "stop_at", *rankers, "published", "state"],
        column_config={
            "issue": text("Issue", pinned=True),
            "n_papers": number("Papers"),
            "n_relevant": number(
                "Relevant", help="Relevant papers. If the list was not read to the end, only those found so far."
            ),
            "n_read": number(
                "Read", help="Papers that the editor read in Presort. Blank if the list was not read in Presort."
            ),
            "stop_at": number("Stop point", help="Position of the stop point. Blank without stop advice."),
            **{ranker: _ranker_column(ranker, measure) for ranker in rankers},
            "published": number("Published", help="Number of papers published."),
            "state": text("State"),
        },
    )
    picked = [*event["selection"]["rows"], *(row for row, _ in event["selection"]["cells"])]
    if picked:
        open_issue(report, issues["issue"].iloc[picked[0]], own)
    exact = {f"{name}_exact": scores_table.exact_values(name, scores) for name in EXACT}
    offer("Download all measures as CSV", scores.drop(columns="outcome").assign(**exact), f"my-report-{report}.csv")


def _ranker_column(ranker: str, measure: str) -> Any:
    label = f"{ranker}, %" if MEASURES[measure].unit.startswith("share") else ranker
    help = f"{MEASURES[measure].label}, {direction(MEASURES[measure])}. Blank if not ranked or not scored."
    if MEASURES[measure].loss:
        return st.column_config.TextColumn(label, help=help, alignment="right")
    return st.column_config.NumberColumn(label, help=help, format="%.1f" if label != ranker else "%.4g")


def cell_values(measure: str, scores: pd.DataFrame) -> "pd.Series[Any]":
    """Return a measure's values for table cells: numbers, shares in percent, or strings with exact values."""
    if MEASURES[measure].loss:
        return format_values(measure, scores).astype(object)
    return (scores[measure] * (100 if MEASURES[measure].unit.startswith("share") else 1)).astype(object)


def format_values(measure: str, scores: pd.DataFrame) -> "pd.Series[str]":
    """Format a measure's values so that only the best outcome is shown as 100 %."""
    if MEASURES[measure].loss:
        return scores_table.exact_values(measure, scores).map(screen_text)
    if MEASURES[measure].unit.startswith("share"):
        return scores[measure].map(lambda value: NOT_DEFINED if math.isnan(value) else f"{100 * value:.1f} %")
    digits = 0 if MEASURES[measure].unit == "papers" else 4
    return scores[measure].map(lambda value: NOT_DEFINED if math.isnan(value) else f"{value:,.{digits}f}")


def open_issue(report: str, issue: pd.Timestamp, own: pd.DataFrame) -> None:
    """Open an issue on *Review* with the selected ranking or, if there is none, in the order that the editor saw."""
    mine = own[own["issue"] == issue]
    if len(mine):
        open_ranking(report, own, int(mine["ranking_id"].iloc[0]))
    st.switch_page(pages.link("review"), query_params={"report": report, "issue": str(issue.date())})


def open_ranking(report: str, scores: pd.DataFrame, ranking_id: int) -> None:
    """Open a ranking on *Review*."""
    if query := ranking_query(report, scores, ranking_id):
        st.switch_page(pages.link("review"), query_params=query)


def ranking_query(report: str, scores: pd.DataFrame, ranking_id: int) -> dict[str, str]:
    """Return the query parameters that open a ranking on *Review*. Empty if the ranking isn't one of the report's."""
    issues = scores.loc[scores["ranking_id"] == ranking_id, "issue"]
    return report_choice.ranking_address(report, issues.iloc[0].date(), ranking_id) if len(issues) else {}


def show_measures(found: Figures, compared: pd.DataFrame) -> None:
    """Draw all measures for the selected rankings, then each ranker's means.

    `compared` is a result of `cache.comparison_scores`.
    """
    own = found.own
    now, before = (own[own["issue"].isin(days)] for days in (found.new_issues, found.old_issues))
    newest = own.sort_values("issue").tail(1)
    rows = [
        {
            "measure": MEASURES[name].label,
            "newest": format_values(name, newest).iloc[0] if len(newest) else NOT_DEFINED,
            "now": _mean_text(name, now),
            "before": _mean_text(name, before),
            "better": direction(MEASURES[name]),
            "trend": _trend(name, own),
        }
        for name in MEASURED
    ]
    text = st.column_config.TextColumn
    st.dataframe(
        pd.DataFrame(rows),
        hide_index=True,
        key="measures",
        height=HEAD + ROW * ROWS,
        column_config={
            "measure": text("Measure", pinned=True),
            "newest": text("Newest issue", alignment="right"),
            "now": text(f"Last {NEW}, mean", alignment="right"),
            "before": text(f"Previous {NEW}, mean", alignment="right"),
            "better": "Direction",
            "trend": st.column_config.LineChartColumn("Trend", help="Value of each list, oldest first."),
        },
    )
    _draw_means(compared)


def _mean_text(name: str, rows: pd.DataFrame) -> str:
    value = rows[name].mean() if len(rows) else math.nan
    if math.isnan(value):
        return NOT_DEFINED
    if MEASURES[name].loss or MEASURES[name].unit.startswith("share"):
        return f"{100 * value:.2f} %"
    return f"{value:,.1f}" if MEASURES[name].unit == "papers" else f"{value:.4f}"


def _trend(name: str, own: pd.DataFrame) -> list[float]:
    values = np.asarray(scores_table.values_to_plot(name, own.sort_values("issue")), dtype=float)
    if MEASURES[name].loss:
        values = -values  # the loss is negated so that higher is better, as it is for the value itself
    finite: list[float] = values[np.isfinite(values)].tolist()
    return finite


def _draw_means(scores: pd.DataFrame) -> None:
    common = scores_table.keep_common_issues(scores)
    st.subheader("Means over issues ranked by every ranker", anchor="means")
    labels = {f"mean_{name}": MEASURES[name].label for name in scores_table.HEADLINES}
    labels["median_relative_last_position"] = "Relative last position, median"
    counts = {
        "ranker": "Ranker",
        "report_issues": "Issues",
        "nothing_relevant": "None relevant",
        "all_relevant": "All relevant",
        "list_order": "In list order",
    }
    found = scores_table.summarise(common)
    exact = scores_table.mean_copnori(common, ["ranker"])
    means = found.round(4)
    for name in (
        "mean_relative_last_position",
        "median_relative_last_position",
    ):
        # Formatted from `found`, because the values in `means` are already rounded.
        means[name] = found[name].map(lambda value: NOT_DEFINED if math.isnan(value) else f"{100 * value:.1f} %")
    means["mean_copnori"] = list(map(screen_text, exact))
    first = {counts["ranker"]: st.column_config.Column(pinned=True)}
    st.dataframe(means.rename(columns=labels | counts), hide_index=True, column_config=first)
    offer("Download the means as CSV", found.assign(mean_copnori_exact=exact), "my-report-means.csv")


def show_deepest(report: str, own: pd.DataFrame) -> None:
    """Draw the deepest relevant papers, each with a link to its list."""
    found = deepest_rankings(own)
    st.caption(DEEPEST_HELP)
    for row in found.to_dict("records"):
        order = rankings.ranking(cache.store(), row["ranking_id"]).ranking.positions
        place = int(row["last_relevant_position"])
        papers = catalogue.papers(cache.store(), row["issue"].date())
        position = int(rankings.whole_order(order, len(papers))[place - 1])
        label = f"{row['issue']:%Y-%m-%d} · {place:,} of {row['n_papers']:,} · {papers[position - 1].title}"
        query = report_choice.ranking_address(report, row["issue"].date(), row["ranking_id"])
        st.page_link(pages.link("review"), label=escape(label), query_params=query)


def deepest_rankings(own: pd.DataFrame) -> pd.DataFrame:
    """Return the `N_DEEPEST` of the newest `NEW` rankings with the highest relative last positions."""
    newest = own[own["n_relevant"] > 0].sort_values("issue").tail(NEW)
    return newest.sort_values(LAST, ascending=False, kind="stable").head(N_DEEPEST)
