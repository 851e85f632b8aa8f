"""The scores of one report: a measure over its issues, every other measure small, and the ranking behind a point."""

import math
from collections.abc import Sequence
from datetime import date
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from presort.desk import pages
from presort.desk.report import words
from presort.desk.report.charts import PICKED, measure_over_time
from presort.desk.scores import table as scores_table
from presort.desk.scores.alarms import NEW, OLD
from presort.desk.scores.exact_values import EXACT
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.words import NOT_DEFINED, newest
from presort.desk.text import on_screen, plain
from presort.desk.ui import report_choice, sparks
from presort.desk.ui.download import offer
from presort.desk.ui.sparks import draw_cell, limits, spark

WIDE = 760  # pixels: room for each column, and the figures not far from their heads

STYLE = """
<style>
.st-key-measures { display: grid; gap: 12px 18px; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); }
.st-key-measures > * { min-width: 0; margin: 0; }
</style>
"""


def show(report: str, measure: str, sorted_so: pd.DataFrame, scores: pd.DataFrame) -> None:
    """Draw the issues of a report by a table of its scores that is not empty; on top, the rows looked at."""
    st.caption(plain(MEASURES[measure].meaning))
    drawn = scores_table.drawn(measure, scores)
    days = scores["issue"].dt.strftime("%Y-%m-%d")
    shown = scores.assign(day=days, shown=in_words(measure, scores), drawn=drawn).drop(columns="outcome")
    _draw_chart(report, measure, shown.iloc[np.argsort(shown.index.isin(sorted_so.index), kind="stable")])
    _draw_table(report, measure, shown, scores)


def show_others(measure: str, sorted_so: pd.DataFrame, scores: pd.DataFrame) -> None:
    """Draw the other measures small, of the rows looked at, and the means of all rankers, by `for_comparison`."""
    st.html(STYLE)
    _draw_others(measure, sorted_so)
    _draw_means(scores)


def in_words(measure: str, scores: pd.DataFrame) -> "pd.Series[str]":
    """Write the values of a measure; only the best outcome reads as 100 %."""
    if MEASURES[measure].loss:
        return scores_table.exact_values(measure, scores).map(on_screen)
    if MEASURES[measure].unit.startswith("share"):
        return scores[measure].map(lambda value: NOT_DEFINED if math.isnan(value) else f"{100 * value:.1f} %")
    digits = 0 if MEASURES[measure].unit == "papers" else 4
    return scores[measure].map(lambda value: NOT_DEFINED if math.isnan(value) else f"{value:,.{digits}f}")


def _draw_chart(report: str, measure: str, shown: pd.DataFrame) -> None:
    is_blank, is_best = shown[measure].isna(), shown["drawn"] == -math.inf
    to_draw = shown[~is_blank & ~is_best]
    if not to_draw.empty:
        event = st.altair_chart(
            measure_over_time(to_draw, MEASURES[measure], words.measure_named(measure)),
            on_select="rerun",
            selection_mode=PICKED,
            key=f"chart-{report}-{measure}",
        )
        picked = event["selection"].get(PICKED, [])
        _draw_picked(report, shown, [int(point["ranking_id"]) for point in picked])
    if is_blank.any():
        st.caption(f"{is_blank.sum()} of {len(shown)} rankings are left out: the measure isn't defined there.")
    if is_best.any():
        st.caption(f"{is_best.sum()} of {len(shown)} are the best possible order, which has no distance to draw.")
    if n_untrained := int((~shown["is_trained"].astype(bool)).sum()):
        st.caption(f"{n_untrained} of {len(shown)} had too few decisions to learn from: list order was kept.")


def _draw_picked(report: str, shown: pd.DataFrame, numbers: Sequence[int]) -> None:
    """Offer the rankings behind the points that were clicked."""
    picked = shown[shown["ranking_id"].isin(numbers)]
    if picked.empty:
        st.caption("Choose a point, or a row, to open the ranking behind it.")
    for row in picked.to_dict("records"):
        day: date = row["issue"].date()
        text = plain(words.picked(day, row["ranker"], row["last_relevant_position"], row["n_papers"]))
        st.page_link(
            pages.link("review"),
            label=f"{text} · **open this list**",
            query_params=report_choice.ranking_address(report, day, row["ranking_id"]),
        )


def _draw_table(report: str, measure: str, shown: pd.DataFrame, scores: pd.DataFrame) -> None:
    rows = shown.sort_values(["issue", "ranker"], ascending=[False, True])
    event = st.dataframe(
        rows,
        key=f"rows-{report}-{measure}-{len(rows)}",
        on_select="rerun",
        selection_mode="single-row",
        hide_index=True,
        height=320,
        width=WIDE,
        column_order=["issue", "ranker", "shown", "n_relevant", "n_papers", "replay"],
        column_config={
            "issue": st.column_config.DateColumn("Issue", format="YYYY-MM-DD", pinned=True),
            "ranker": "Ranker",
            "shown": st.column_config.TextColumn(words.measure_named(measure), alignment="right"),
            "n_relevant": "Relevant",
            "n_papers": "Papers",
            "replay": st.column_config.NumberColumn("Replay", help="Blank: the ranking was made for an editor."),
        },
    )
    if chosen := event["selection"]["rows"]:
        _draw_picked(report, rows, [int(rows["ranking_id"].iloc[row]) for row in chosen])
    exact = {f"{name}_exact": scores_table.exact_values(name, scores) for name in EXACT}
    offer("Download all measures as CSV", scores.drop(columns="outcome").assign(**exact), f"my-report-{report}.csv")


def _draw_others(measure: str, mine: pd.DataFrame) -> None:
    """Draw every other measure small, the newest issue last."""
    if mine.empty:
        return
    st.subheader("The other measures", anchor="other-measures")
    shown = mine.sort_values("issue").tail(NEW + OLD)
    by = " and ".join(shown["ranker"].unique())
    st.caption(
        plain(
            f"Rankings by {by}, the {newest(len(shown))}; the figure is that of the newest issue in which the measure "
            "is defined. Choose a measure to see it large."
        )
    )
    with st.container(key="measures"):
        for name in scores_table.MEASURED:
            if name != measure:
                _draw_small(name, shown)


def _draw_small(name: str, shown: pd.DataFrame) -> None:
    drawn = np.asarray(scores_table.drawn(name, shown), dtype=np.float64)
    if MEASURES[name].loss:
        drawn = -drawn  # of a distance: upwards is nearer to 100 %, as the figure beside is higher
    low, high = limits(drawn, share=MEASURES[name].unit.startswith("share"))
    defined = shown[shown[name].notna()].tail(1)
    last = in_words(name, defined).iloc[0] if len(defined) else NOT_DEFINED
    picture = spark(drawn, low=low, high=high, newest=NEW)
    direction = "higher is better" if MEASURES[name].higher_is_better else "lower is better"
    button = partial(
        st.button,
        plain(MEASURES[name].label),
        key=f"open-{name}",
        type="tertiary",
        on_click=sparks.choose,
        args=("measure", name),
    )
    draw_cell(name, button, (last, direction), [picture])


def _draw_means(scores: pd.DataFrame) -> None:
    common = scores_table.on_common_issues(scores)
    st.subheader("Means over the issues that all these rankers ranked", anchor="means")
    labels = {f"mean_{name}": MEASURES[name].label for name in scores_table.HEADLINES}
    labels["median_relative_last_position"] = "Relative last position, median"
    counts = {
        "ranker": "Ranker",
        "report_issues": "Issues",
        "nothing_relevant": "of them with nothing relevant",
        "all_relevant": "of them with everything relevant",
        "list_order": "of them in list order",
    }
    found = scores_table.summarise(common)
    exact = scores_table.mean_copnori(common, ["ranker"])
    means = found.round(4)
    for name in ("mean_relative_last_position", "median_relative_last_position"):
        means[name] = means[name].map(lambda value: NOT_DEFINED if math.isnan(value) else f"{100 * value:.1f} %")
    means["mean_copnori"] = list(map(on_screen, exact))
    first = {counts["ranker"]: st.column_config.Column(pinned=True)}
    st.dataframe(means.rename(columns=labels | counts), hide_index=True, column_config=first)
    offer("Download the means as CSV", found.assign(mean_copnori_exact=exact), "my-report-means.csv")
