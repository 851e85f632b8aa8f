"""Quality: how good the rankings of one report were, issue by issue."""

import math

import pandas as pd
import streamlit as st

from data import catalogue, rankings
from data.exporters.csv_text import csv_text
from data.records import Replay
from desk import cache, charts, evaluation
from desk.choice import choice, report_choice
from desk.words.text import exact_text
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
    left, middle, right = st.columns(3)
    report = report_choice(left, reports)
    measure = choice(
        middle,
        "Measure",
        evaluation.MEASURED,
        name="measure",
        named=lambda name: MEASURES[name].label,
        default=evaluation.MEASURED.index("relative_last_position"),
    )
    source = choice(
        right,
        "Rankings",
        [0, *replays],
        name="replay",
        named=lambda number: _source(number, replays),
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
    drawn = evaluation.drawn(measure, scores)
    shown = scores.assign(shown=_in_words(measure, scores), drawn=drawn).drop(columns="outcome")
    is_blank, is_best = scores[measure].isna(), drawn == -math.inf
    chart, table = st.columns([3, 2])
    if not (to_draw := shown[~is_blank & ~is_best]).empty:
        chart.altair_chart(charts.measure_over_time(to_draw, MEASURES[measure]))
    if is_blank.any():
        chart.caption(f"{is_blank.sum()} of {len(scores)} rankings are left out: the measure isn't defined there.")
    if is_best.any():
        chart.caption(f"{is_best.sum()} of {len(scores)} are the best possible order, which has no distance to draw.")
    if n_untrained := int((~scores["is_trained"]).sum()):
        chart.caption(f"{n_untrained} of {len(scores)} had too few decisions to learn from: list order was kept.")
    table.dataframe(
        shown.sort_values(["issue", "ranker"], ascending=[False, True]),
        hide_index=True,
        height=380,
        column_order=["issue", "ranker", "shown", "n_relevant", "n_papers", "replay"],
        column_config={
            "issue": st.column_config.DateColumn("Issue", format="YYYY-MM-DD"),
            "ranker": "Ranker",
            "shown": st.column_config.TextColumn(MEASURES[measure].label, alignment="right"),
            "n_relevant": "Relevant",
            "n_papers": "Papers",
            "replay": st.column_config.NumberColumn("Replay", help="Blank: the ranking was made for an editor."),
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


def _in_words(measure: str, scores: pd.DataFrame) -> "pd.Series[str]":
    if gap := MEASURES[measure].gap:
        return scores["outcome"].map(lambda outcome: exact_text([gap(outcome)]))
    return scores[measure].map(lambda value: "not defined" if math.isnan(value) else f"{value:.4f}")


def _draw_means(scores: pd.DataFrame) -> None:
    common = evaluation.on_common_issues(scores)
    st.subheader("Means over the issues that all these rankers ranked", anchor="means")
    labels = {f"mean_{name}": MEASURES[name].label for name in evaluation.HEADLINES}
    labels["median_relative_last_position"] = "Relative last position, median"
    counts = {
        "ranker": "Ranker",
        "report_issues": "Issues",
        "nothing_relevant": "of them with nothing relevant",
        "all_relevant": "of them with everything relevant",
        "list_order": "of them in list order",
    }
    means = evaluation.summarise(common).round(4)
    means["mean_copnori"] = evaluation.mean_copnori(common, ["ranker"])
    st.dataframe(means.rename(columns=labels | counts), hide_index=True)


def _source(number: int, replays: dict[int, Replay]) -> str:
    if not number:
        return "What editors saw, replays elsewhere"
    replay = replays[number]
    span = f"{replay.first_issue} to {replay.last_issue}"
    return f"Replay {number}: {span}, trained every {replay.retrain_every} issues"
