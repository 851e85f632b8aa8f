"""Natural order: where a measure contradicts it, between the rankers of this service and among all possible orders."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.desk.natural_order import charts, possible_orders_page, words
from presort.desk.scores import natural_order
from presort.desk.scores.natural_order import PairVerdicts
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import same_conditions
from presort.desk.scores.two_lists import two_lists
from presort.desk.text import plain, report_named
from presort.desk.ui import cache, empty, visitor
from presort.desk.ui.choice import choice
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import draw_measure_problems, draw_not_evaluable, measure_choice, source_choice

ROWS = 380  # pixels
CHART, CASES, LIST = 390, 690, 540  # pixels, of width: with the gap, side by side in a window of 1280


@visitor.one_snapshot()
def show() -> None:
    """Draw both halves of the page."""
    st.title("Natural order", anchor=False)
    st.caption(
        "Of two orders of the same papers, the one is better whose last relevant paper comes earlier; on a tie, the "
        "one whose second-to-last comes earlier; and so on. That is what an editor who reads down the list has to "
        "read. Does a measure say the same?"
    )
    measure = measure_choice(st.container(width=420), "average_precision")
    practice, theory = st.tabs(["In practice", "In theory"], key="part", bind="query-params")
    if practice.open:
        with practice:
            _draw_practice(measure)
    else:
        with theory:
            possible_orders_page.draw(measure)
    draw_measure_problems()


def _draw_practice(measure: str) -> None:
    first, second, third = st.columns(3)
    replay = source_choice(third)
    scores, judged = _judged(cache.state(), replay)
    draw_not_evaluable(replay)
    if judged.pairs.empty:
        if not empty.lacks_figures():
            empty.draw(
                "Nothing to compare yet: it takes two rankers that sorted the same report issue, and that it went out. "
                "Let another run beside the one in use.",
                empty.TO_RANKERS,
            )
        return
    is_asked = _asked(judged, first, second)
    counts = natural_order.counts(judged, is_asked)
    n_decided = int(counts["decided"].max())
    if not n_decided:
        st.info("Nothing to compare here: no two rankers put the relevant papers at different places.")
        return
    by_measure = counts.set_index("measure")
    figures = {name: int(by_measure[name][measure]) for name in ("decided", "misleads", "cannot_tell")}
    st.markdown(words.verdict(MEASURES[measure], **figures))
    st.caption(words.pairs_say(int(is_asked.sum()), n_decided, judged.n_left_out))
    row = st.container(horizontal=True, gap="medium")  # one below the other where there is no room
    with row.container(width=CHART):
        _draw_counts(counts)
    with row.container(width=CASES):
        cases = natural_order.cases(judged, scores, measure, is_asked)
        opened = _choose_case(cases, measure) if figures["decided"] else None
    if opened is not None:
        _draw_case(opened, scores, measure)


def _asked(judged: PairVerdicts, place_of_report: DeltaGenerator, place_of_pair: DeltaGenerator) -> NDArray[np.bool_]:
    """Draw the boxes that narrow the pairs down, and tell which are left."""
    names = {report.code: report.name for report in catalogue.reports(cache.store(), retired=True)}
    pairs = judged.pairs
    report = choice(
        place_of_report,
        "Reports",
        ["", *sorted(pairs["report"].unique())],
        name="within",
        named=lambda code: report_named(code, names.get(code, code)) if code else "all reports",
    )
    is_first = pairs["better"] < pairs["worse"]
    named = pairs["better"].where(is_first, pairs["worse"]) + ", " + pairs["worse"].where(is_first, pairs["better"])
    pair = choice(
        place_of_pair,
        "Rankers",
        ["", *sorted(named.unique())],
        name="pair",
        named=lambda name: name or "all pairs of rankers",
    )
    is_asked = np.ones(len(pairs), dtype=bool)
    if report:
        is_asked &= (pairs["report"] == report).to_numpy()
    if pair:
        is_asked &= (named == pair).to_numpy()
    return is_asked


def _draw_counts(counts: pd.DataFrame) -> None:
    st.header("Which measure misleads, how often", anchor=False)
    drawn = counts[counts["decided"] > 0]  # without a value there is no bar, which would look like never misleading
    st.altair_chart(charts.misleading(drawn.assign(label=[MEASURES[name].label for name in drawn["measure"]])))
    offer("Download the counts as CSV", counts, "natural-order-counts.csv")


def _choose_case(cases: pd.DataFrame, measure: str) -> "pd.Series[Any] | None":
    """List the cases, and give the one whose row is chosen; the worst unless the address names another."""
    st.header("Where it misleads, worst first", anchor=False)
    if cases.empty:
        st.info(
            f"{MEASURES[measure].label} never preferred the worse of two rankers here: there is no case to look at."
        )
        return None
    names = cases["report"] + " " + cases["issue"].astype(str) + " " + cases["better"] + " " + cases["worse"]
    linked = np.flatnonzero(names == st.query_params.get("case"))
    first = int(linked[0]) if linked.size else 0
    # Another list is another table: which row was chosen in one means nothing in the next.
    key = "-".join(st.query_params.get(name, "") for name in ("measure", "replay", "within", "pair"))
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
    st.caption(f"Choose a row to see both lists below. {words.HOW_BAD}")
    offer(
        "Download these cases as CSV", cases.drop(columns=["better_row", "worse_row"]), f"natural-order-{measure}.csv"
    )
    return cases.iloc[row]


def _columns(measure: str) -> dict[str, Any]:
    named = words.CASE_COLUMNS
    number, value = st.column_config.NumberColumn, "%.4f"
    return {
        **named,
        "report": st.column_config.Column(named["report"], pinned=True),
        "worse": st.column_config.TextColumn(
            named["worse"], help="By the measure, though the natural order puts it second."
        ),
        "issue": st.column_config.DateColumn(named["issue"], format="YYYY-MM-DD"),
        "papers_more": number(
            named["papers_more"],
            format="%d",
            help="By how many papers the last relevant one stands later in the worse list.",
        ),
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
    heading = f"{case['report']} · {case['issue'].date()}: {names[0]} is better, {names[1]} preferred"
    st.header(plain(heading), anchor=False)
    places = natural_order.deciding_places(*outcomes)
    st.markdown(plain(words.overlooked(MEASURES[measure], names, outcomes, places, title)))
    st.table(
        words.side_by_side(MEASURES[measure], names, outcomes, (case["better_value"], case["worse_value"])),
        hide_index=True,
    )
    st.altair_chart(charts.two_lists(both.relevant, names, int(case["n_papers"])))
    row = st.container(horizontal=True)
    for name, papers in zip(names, (both.better, both.worse), strict=True):
        with row.container(width=LIST):
            st.markdown(f"**{plain(name)}**")
            _draw_list(papers)
    offer(
        "Download both lists as CSV",
        pd.concat([both.better.assign(ranker=names[0]), both.worse.assign(ranker=names[1])]),
        f"natural-order-{case['report']}-{case['issue']:%Y-%m-%d}.csv",
    )


def _draw_list(papers: pd.DataFrame) -> None:
    st.dataframe(
        papers.assign(mark=np.where(papers["is_relevant"], "✓", "")),
        hide_index=True,
        height=ROWS,
        column_order=["place", "mark", "title"],
        column_config={
            "place": st.column_config.NumberColumn("Place", width=60),
            "mark": st.column_config.TextColumn("Relevant", width=70),
            "title": "Paper",
        },
    )


@cache.of_state
def _judged(state: cache.State, replay: int | None) -> tuple[pd.DataFrame, PairVerdicts]:
    """Return the scores, too: what is judged names their rows, and others may be there a moment later."""
    scores = same_conditions(cache.for_comparison(replay), 2).reset_index(drop=True)
    return scores, natural_order.judge(scores)
