"""Quality: how good the rankings are, of all reports and of one, issue by issue."""

from collections.abc import Sequence

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data import catalogue, rankings, service
from data.records import Report
from desk import cache, evaluation
from desk.boxes import quality_cell, quality_report, quality_reports
from desk.boxes.quality_reports import Asked
from desk.choice import choice, report_choice
from desk.pages import review
from desk.words import quality as words
from desk.words.replays import source_named
from metrics import MEASURES
from ranker.versions import DEFAULT


def show() -> None:
    """Draw all reports at a glance and one in depth."""
    if "issue" in st.query_params:  # a link to Review, opened in a new tab: Streamlit writes it relative to this page
        st.switch_page(_review(), query_params=st.query_params.to_dict())
    st.title(words.TITLE, anchor=False)
    reports = catalogue.reports(cache.store())
    if not reports:
        st.info(words.NO_REPORT)
        return
    st.html(quality_cell.STYLE)
    _draw(reports)


def _draw(reports: Sequence[Report]) -> None:
    """Draw what there is of these reports: an editor may see fewer than a director."""
    left, middle, right = st.columns(3)
    measure = choice(
        left,
        words.MEASURE,
        evaluation.MEASURED,
        name="measure",
        named=lambda name: MEASURES[name].label,
        default=evaluation.MEASURED.index("relative_last_position"),
    )
    replays = {replay.id: replay for replay in rankings.replays(cache.store())}
    source = choice(
        middle,
        words.SOURCE,
        [0, *replays],
        name="replay",
        named=lambda number: source_named(replays.get(number)),
        help=words.SOURCE_HELP,
    )
    codes = tuple(report.code for report in reports)
    scores = cache.all_scores(source or None)
    scores = scores[scores["report"].isin(codes)]
    if scores.empty:
        st.info(words.NOTHING_SCORED)
        return
    ranker = _choose_ranker(right, scores)
    quality_reports.show(Asked(source or None, ranker, codes, measure))
    st.subheader(words.ONE_REPORT, anchor=quality_cell.ANCHOR)
    report = report_choice(st.container(width=320), reports)
    mine = scores[scores["report"] == report]
    if mine.empty:
        st.info(words.NOTHING_OF_REPORT)
        return
    quality_report.show(report, measure, ranker, mine)
    quality_cell.scroll()


def _choose_ranker(place: "st.delta_generator.DeltaGenerator", scores: pd.DataFrame) -> str:
    rankers: list[str] = sorted(scores["ranker"].unique())
    first = service.active_ranker(cache.store()) or DEFAULT
    default = rankers.index(first) if first in rankers else 0
    return choice(place, words.RANKER, rankers, name="ranker", default=default, help=words.RANKER_HELP)


def _review() -> StreamlitPage:
    return st.Page(review.show, url_path="review", default=True)
