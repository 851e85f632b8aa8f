"""One report on Quality: a measure over its issues, every other measure small, and the ranking behind a point."""

import math
from collections.abc import Mapping, Sequence
from datetime import date
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st

from data import catalogue, rankings, reviews
from desk import cache, evaluation, quality, workflow
from desk.alarms import NEW
from desk.boxes import quality_cell
from desk.boxes.quality_cell import draw_cell
from desk.boxes.table_file import offer
from desk.charts.quality import PICKED, measure_over_time
from desk.charts.sparks import limits, spark
from desk.pages import review
from desk.words import quality as words
from desk.words.text import exact_text, plain
from metrics import MEASURES

STYLE = """
<style>
.st-key-measures { display: grid; gap: 12px 18px; grid-template-columns: repeat(auto-fill, minmax(11rem, 1fr)); }
.st-key-measures > * { min-width: 0; margin: 0; }
</style>
"""


def show(report: str, measure: str, ranker: str, scores: pd.DataFrame) -> None:
    """Draw the issues of a report.

    Parameters
    ----------
    scores : DataFrame
        As `evaluation.scores` gives it, of this report, not empty.
    """
    st.html(STYLE)
    st.caption(plain(MEASURES[measure].meaning))
    drawn = evaluation.drawn(measure, scores)
    days = scores["issue"].dt.strftime("%Y-%m-%d")
    shown = scores.assign(day=days, shown=in_words(measure, scores), drawn=drawn).drop(columns="outcome")
    chart, table = st.columns([3, 2])
    with chart:
        _draw_chart(report, measure, shown)
    with table:
        _draw_table(report, measure, shown)
    _draw_others(measure, ranker, scores[scores["ranker"] == ranker])
    _draw_means(scores)


def in_words(measure: str, scores: pd.DataFrame) -> "pd.Series[str]":
    """Write the values of a measure; only the best outcome reads as 100 %."""
    if gap := MEASURES[measure].gap:
        return scores["outcome"].map(lambda outcome: exact_text([gap(outcome)]))
    digits = 0 if MEASURES[measure].unit == "papers" else 4
    return scores[measure].map(lambda value: words.NOT_DEFINED if math.isnan(value) else f"{value:,.{digits}f}")


def _draw_chart(report: str, measure: str, shown: pd.DataFrame) -> None:
    is_blank, is_best = shown[measure].isna(), shown["drawn"] == -math.inf
    to_draw = shown[~is_blank & ~is_best]
    if not to_draw.empty:
        event = st.altair_chart(
            measure_over_time(to_draw, MEASURES[measure]),
            on_select="rerun",
            selection_mode=PICKED,
            key=f"chart-{report}-{measure}",
        )
        _draw_picked(report, shown, event["selection"].get(PICKED, []))
    if is_blank.any():
        st.caption(f"{is_blank.sum()} of {len(shown)} rankings are left out: the measure isn't defined there.")
    if is_best.any():
        st.caption(f"{is_best.sum()} of {len(shown)} are the best possible order, which has no distance to draw.")
    if n_untrained := int((~shown["is_trained"].astype(bool)).sum()):
        st.caption(f"{n_untrained} of {len(shown)} had too few decisions to learn from: list order was kept.")


def _draw_picked(report: str, shown: pd.DataFrame, points: Sequence[Mapping[str, Any]]) -> None:
    """Offer the ranking behind the point that was clicked."""
    keys = {(point["day"], point["ranker"]) for point in points}
    is_picked = [key in keys for key in zip(shown["day"], shown["ranker"], strict=True)]
    if not any(is_picked):
        st.caption(words.PICK)
        return
    row = shown[is_picked].iloc[0].to_dict()
    day: date = row["issue"].date()
    said = plain(words.picked(day, row["ranker"], row["last_relevant_position"], row["n_papers"]))
    if pd.isna(row["replay"]):
        query = {"report": report, "issue": str(day), "ranker": row["ranker"]}
        page = st.Page(review.show, url_path="review", default=True)
        st.page_link(page, label=f"{said} · **{words.OPEN_RANKING}**", query_params=query)
    else:
        with st.expander(said, expanded=True):
            _draw_ranking(report, day, row["ranker"], int(row["replay"]))


def _draw_ranking(report: str, day: date, ranker: str, replay: int) -> None:
    """Draw the list of a replay: no editor has seen it, and Review does not know it."""
    store = cache.store()
    wanted = (day, ranker, replay)
    number = next(
        x.ranking_id for x in rankings.scored_rankings(store, report) if (x.issue, x.ranker, x.replay) == wanted
    )
    papers, decided = catalogue.papers(store, day), reviews.words(store, report, day)
    order = workflow.shown_order(rankings.ranking(store, number), len(papers))
    in_order = [papers[position - 1] for position in order.tolist()]
    table = {
        words.PLACE: range(1, len(in_order) + 1),
        words.RELEVANT: ["✓" if decided.get(paper.paper_id) == "yes" else "" for paper in in_order],
        words.PAPER: [paper.title for paper in in_order],
    }
    st.caption(words.OF_REPLAY)
    st.dataframe(pd.DataFrame(table), hide_index=True, height=320)


def _draw_table(report: str, measure: str, shown: pd.DataFrame) -> None:
    st.dataframe(
        shown.sort_values(["issue", "ranker"], ascending=[False, True]),
        hide_index=True,
        height=400,
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
    offer(words.DOWNLOAD_ONE, shown.drop(columns=["day", "shown", "drawn"]), f"quality-{report}.csv")


def _draw_others(measure: str, ranker: str, mine: pd.DataFrame) -> None:
    """Draw every other measure small, the newest issue last."""
    if mine.empty:
        return
    st.subheader(words.OTHER_MEASURES, anchor="other-measures")
    st.caption(plain(words.others(ranker)))
    newest = mine.sort_values("issue").tail(quality.SHOWN)
    with st.container(key="measures"):
        for name in evaluation.MEASURED:
            if name != measure:
                _draw_small(name, newest)


def _draw_small(name: str, newest: pd.DataFrame) -> None:
    drawn = np.asarray(evaluation.drawn(name, newest), dtype=np.float64)
    low, high = limits(drawn, share=MEASURES[name].unit.startswith("share"))
    defined = newest[newest[name].notna()].tail(1)
    last = in_words(name, defined).iloc[0] if len(defined) else words.NOT_DEFINED
    picture = spark(drawn, low=low, high=high, newest=NEW)
    draw_cell(MEASURES[name].label, name, _choose, (last, words.line_is(MEASURES[name])), [picture])


def _choose(measure: str) -> None:
    quality_cell.choose("measure", measure)


def _draw_means(scores: pd.DataFrame) -> None:
    common = evaluation.on_common_issues(scores)
    st.subheader(words.MEANS, anchor="means")
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
