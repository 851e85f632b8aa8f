"""Quality: how good the rankings of one report were, issue by issue."""

import pandas as pd
import streamlit as st

from data import catalogue, rankings
from data.exporters.csv_text import csv_text
from data.records import Replay
from desk import cache, charts, evaluation
from desk.words import copnori_text
from metrics import MEASURES


def show() -> None:
    """Draw one measure of a report over the issues, a line a ranker, and the table behind it."""
    st.title("Quality", anchor=False)
    store = cache.store()
    reports = catalogue.reports(store)
    if not reports:
        st.info("No report yet. Import an issue with past selections: `presort import FILE`.")
        return
    replays = {replay.id: replay for replay in rankings.replays(store)}
    names = {report.code: report.name for report in reports}
    left, middle, right = st.columns(3)
    report = left.selectbox(
        "Report", list(names), format_func=lambda c: _named(c, names), key="report", bind="query-params"
    )
    measure = middle.selectbox(
        "Measure",
        list(MEASURES),
        index=list(MEASURES).index("relative_last_position"),
        format_func=lambda name: MEASURES[name].label,
        key="measure",
        bind="query-params",
    )
    source = right.selectbox(
        "Rankings",
        [0, *replays],
        format_func=lambda number: _source(number, replays),
        key="rankings",
        bind="query-params",
        help="A replay ranks past issues as if each had been new, with what was decided before it.",
    )
    scores = cache.scores(report, source or None)
    if scores.empty:
        st.info(
            "Nothing to show yet: rankings are scored when a report is issued. Issue one on the Review page, or rank "
            "past issues with `presort replay --from DATE --to DATE`."
        )
        return
    _draw(report, measure, scores)


def _draw(report: str, measure: str, scores: pd.DataFrame) -> None:
    st.caption(MEASURES[measure].meaning)
    is_blank = scores[measure].isna()
    chart, table = st.columns([3, 2])
    chart.altair_chart(charts.measure_over_time(scores[~is_blank].drop(columns="outcome"), MEASURES[measure]))
    if is_blank.any():
        chart.caption(f"{is_blank.sum()} of {len(scores)} rankings are left out: the measure isn't defined there.")
    if n_untrained := int((~scores["is_trained"]).sum()):
        chart.caption(f"{n_untrained} of {len(scores)} had too few decisions to learn from: list order was kept.")
    shown = scores[["issue", "ranker", measure, "n_relevant", "n_papers"]].sort_values(
        ["issue", "ranker"], ascending=[False, True]
    )
    if measure == "copnori":
        shown["copnori"] = scores["outcome"].map(copnori_text)
    number = st.column_config.NumberColumn(MEASURES[measure].label, format="%.4f")
    table.dataframe(
        shown,
        hide_index=True,
        height=380,
        column_config={
            "issue": st.column_config.DateColumn("Issue", format="YYYY-MM-DD"),
            "ranker": "Ranker",
            measure: MEASURES[measure].label if measure == "copnori" else number,
            "n_relevant": "Relevant",
            "n_papers": "Papers",
        },
    )
    st.download_button(
        "Download all measures as CSV",
        csv_text(scores.drop(columns="outcome")),
        file_name=f"quality-{report}.csv",
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",
    )
    _draw_means(scores)


def _draw_means(scores: pd.DataFrame) -> None:
    st.subheader("Means over these issues", anchor="means")
    labels = {f"mean_{name}": MEASURES[name].label for name in evaluation.HEADLINES}
    labels["median_relative_last_position"] = "Relative last position, median"
    counts = {
        "ranker": "Ranker",
        "report_issues": "Issues",
        "nothing_relevant": "of them with nothing relevant",
        "list_order": "of them in list order",
    }
    means = evaluation.summarise(scores).rename(columns=labels | counts)
    st.dataframe(means.round(4), hide_index=True)


def _named(code: str, names: dict[str, str]) -> str:
    return code if names[code] == code else f"{code} · {names[code]}"


def _source(number: int, replays: dict[int, Replay]) -> str:
    if not number:
        return "What editors saw, replays elsewhere"
    replay = replays[number]
    span = f"{replay.first_issue} to {replay.last_issue}"
    return f"Replay {number}: {span}, trained every {replay.retrain_every} issues"
