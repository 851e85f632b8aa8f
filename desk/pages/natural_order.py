"""Natural order: where a measure contradicts it, between the rankers of this service and among all possible orders."""

from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from data import catalogue, rankings
from desk import cache, evaluation, natural_order
from desk.boxes.table_file import offer
from desk.charts import natural_order as charts
from desk.choice import choice
from desk.natural_order import Judged
from desk.pages import possible_orders
from desk.two_lists import two_lists
from desk.words import natural_order as words
from desk.words.replays import source_named
from desk.words.text import plain
from metrics import MEASURES

ROWS = 380  # pixels


def show() -> None:
    """Draw both halves of the page."""
    st.title(words.TITLE, anchor=False)
    st.caption(words.ABOUT)
    measure = choice(
        st.container(width=420),
        words.MEASURE,
        evaluation.MEASURED,
        name="measure",
        named=lambda name: MEASURES[name].label,
        default=evaluation.MEASURED.index("average_precision"),
    )
    practice, theory = st.tabs([words.IN_PRACTICE, words.IN_THEORY], key="part", bind="query-params")
    if practice.open:
        with practice:
            _draw_practice(measure)
    else:
        with theory:
            possible_orders.draw(measure)


def _draw_practice(measure: str) -> None:
    store = cache.store()
    replays = {replay.id: replay for replay in rankings.replays(store)}
    first, second, third = st.columns(3)
    source = choice(
        third,
        words.SOURCE,
        [0, *replays],
        name="replay",
        named=lambda number: source_named(replays.get(number)),
        help=words.SOURCE_HELP,
    )
    scores = cache.all_scores(source or None)
    judged = _judged(store.path, rankings.outcomes_state(store), source or None)
    if judged.pairs.empty:
        st.info(words.NOTHING)
        return
    is_asked = _asked(judged, first, second)
    counts = natural_order.counts(judged, is_asked)
    if not counts["decided"].iloc[0]:
        st.info(words.NOTHING_DECIDED)
        return
    by_measure = counts.set_index("measure")
    figures = {name: int(by_measure[name][measure]) for name in ("decided", "misleads", "cannot_tell")}
    st.markdown(words.verdict(MEASURES[measure], **figures))
    st.caption(words.pairs_say(int(is_asked.sum()), figures["decided"], judged.n_left_out))
    left, right = st.columns([1, 2], gap="medium")
    with left:
        _draw_counts(counts)
    with right:
        opened = _choose_case(natural_order.cases(judged, scores, measure, is_asked), measure)
    if opened is not None:
        _draw_case(opened, scores, measure)


def _asked(judged: Judged, place_of_report: DeltaGenerator, place_of_pair: DeltaGenerator) -> NDArray[np.bool_]:
    """Draw the boxes that narrow the pairs down, and tell which are left."""
    names = {report.code: report.name for report in catalogue.reports(cache.store(), retired=True)}
    pairs = judged.pairs
    report = choice(
        place_of_report,
        words.REPORT,
        ["", *sorted(pairs["report"].unique())],
        name="within",
        named=lambda code: words.report_named(code, names.get(code, code)),
    )
    named = words.pairs_named(pairs["better"], pairs["worse"])
    pair = choice(
        place_of_pair,
        words.RANKERS,
        ["", *sorted(named.unique())],
        name="pair",
        named=lambda name: name or words.ALL_PAIRS,
    )
    is_asked = np.ones(len(pairs), dtype=bool)
    if report:
        is_asked &= (pairs["report"] == report).to_numpy()
    if pair:
        is_asked &= (named == pair).to_numpy()
    return is_asked


def _draw_counts(counts: pd.DataFrame) -> None:
    st.subheader(words.COUNTS, anchor=False)
    labelled = counts.assign(label=counts["measure"].map(lambda name: MEASURES[name].label))
    st.altair_chart(charts.misleading(labelled))
    offer(words.DOWNLOAD_COUNTS, counts, "natural-order-counts.csv")


def _choose_case(cases: pd.DataFrame, measure: str) -> "pd.Series[Any] | None":
    """List the cases, and give the one whose row is chosen; the worst unless the address names another."""
    st.subheader(words.CASES, anchor=False)
    if cases.empty:
        st.info(words.keeps(MEASURES[measure]))
        return None
    names = cases["report"] + " " + cases["issue"].astype(str) + " " + cases["better"] + " " + cases["worse"]
    asked = np.flatnonzero(names == st.query_params.get("case"))
    first = int(asked[0]) if asked.size else 0
    # Another list is another table: which row was chosen in one means nothing in the next.
    key = "-".join(st.query_params[name] for name in ("measure", "replay", "within", "pair"))
    state = st.dataframe(
        cases,
        key=f"cases-{key}-{len(cases)}",
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [first]}},
        hide_index=True,
        height=ROWS,
        column_order=list(words.CASE_COLUMNS),
        column_config=_columns(measure),
    )
    chosen = state["selection"]["rows"]
    row = chosen[0] if chosen else first
    st.query_params["case"] = names.iloc[row]
    st.caption(f"{words.OPEN_ONE} {words.HOW_BAD}")
    offer(words.DOWNLOAD_CASES, cases.drop(columns=["better_row", "worse_row"]), f"natural-order-{measure}.csv")
    return cases.iloc[row]


def _columns(measure: str) -> dict[str, Any]:
    named = words.CASE_COLUMNS
    number, value = st.column_config.NumberColumn, "%.4f"
    return {
        **named,
        "worse": st.column_config.TextColumn(named["worse"], help=words.PREFERRED_HELP),
        "issue": st.column_config.DateColumn(named["issue"], format="YYYY-MM-DD"),
        "papers_more": number(named["papers_more"], format="%d", help=words.PAPERS_MORE_HELP),
        "better_value": number(named["better_value"], format=value, help=MEASURES[measure].label),
        "worse_value": number(named["worse_value"], format=value, help=MEASURES[measure].label),
        "how_bad": number(named["how_bad"], format="%.0f", help=words.HOW_BAD),
    }


def _draw_case(case: "pd.Series[Any]", scores: pd.DataFrame, measure: str) -> None:
    """Draw an issue as both rankers sorted it, and say what the measure overlooked."""
    better, worse = scores.iloc[case["better_row"]], scores.iloc[case["worse_row"]]
    both = two_lists(cache.store(), better, worse)
    names, outcomes = (case["better"], case["worse"]), (better["outcome"], worse["outcome"])
    title = both.relevant.loc[both.relevant["is_deciding"], "title"].iloc[0]
    st.subheader(plain(words.case_title(case["report"], case["issue"].date(), names)), anchor=False)
    places = natural_order.deciding_places(*outcomes)
    st.markdown(plain(words.overlooked(MEASURES[measure], names, outcomes, places, title)))
    st.table(words.side_by_side(MEASURES[measure], names, outcomes, (case["better_value"], case["worse_value"])))
    st.altair_chart(charts.two_lists(both.relevant, names, int(case["n_papers"])))
    for place, name, papers in zip(st.columns(2), names, (both.better, both.worse), strict=True):
        with place:
            st.markdown(f"**{plain(name)}**")
            _draw_list(papers)
    offer(
        words.DOWNLOAD_LISTS,
        pd.concat([both.better.assign(ranker=names[0]), both.worse.assign(ranker=names[1])]),
        f"natural-order-{case['report']}-{case['issue']:%Y-%m-%d}.csv",
    )


def _draw_list(papers: pd.DataFrame) -> None:
    st.dataframe(
        papers.assign(mark=np.where(papers["is_relevant"], words.RELEVANT_MARK, "")),
        hide_index=True,
        height=ROWS,
        column_order=["place", "mark", "title"],
        column_config={
            "place": st.column_config.NumberColumn(words.PLACE, width=60),
            "mark": st.column_config.TextColumn(words.RELEVANT, width=70),
            "title": words.PAPER,
        },
    )


@st.cache_resource(show_spinner=False, ttl=cache.KEPT, max_entries=4)  # shared, not copied
def _judged(path: Path, state: tuple[int, str], replay: int | None) -> Judged:
    return natural_order.judge(cache.all_scores(replay))
