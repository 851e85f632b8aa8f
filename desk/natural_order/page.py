"""The *Natural order* page: how often measures contradict the natural order, in real rankings and in theory."""

from typing import Any

import numpy as np
import pandas as pd
import streamlit as st
from numpy.typing import NDArray
from streamlit.delta_generator import DeltaGenerator

from presort.data import catalogue
from presort.desk.natural_order import charts, possible_orders_page
from presort.desk.natural_order.tables import percent, side_by_side
from presort.desk.scores import natural_order
from presort.desk.scores.natural_order import PairVerdicts
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import keep_same_conditions, n_not_evaluable
from presort.desk.scores.two_lists import two_lists
from presort.desk.text import count_text, escape, report_label
from presort.desk.ui import cache, cards, empty, layout, visitor
from presort.desk.ui.cards import Card
from presort.desk.ui.choice import choice
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import draw_measure_problems, measure_choice, source_choice
from presort.desk.ui.state_cache import State, cache_by_state

BARS = "measure-bars"  # key of the chart of measures
ROWS = 380  # height of a table in pixels
LIST = 520  # width of a list in pixels
WIDTHS = {"measure": 300, "reports": 210, "rankers": 280, "rankings": 260}  # widths of the filters in pixels
NATURAL_ORDER = (
    "Of two orders of the same papers, the better one has the earlier last relevant paper. If both have it in the same "
    "position, the second-to-last decides, and so on. An editor must read down to the last relevant paper."
)
PAIRS = (
    "Pairs of rankers on the same report issue. Pairs with all relevant papers in the same positions are not counted."
)
SEVERITY = (
    "Extra papers to read, multiplied by how strongly the measure prefers the worse order. This strength is the share "
    "of all pairs for which the measure's two values differ less than in this pair."
)
LEFT_OUT = (
    "Left out: pairs without a relevant paper, pairs that differ in the number of papers or relevant papers, and "
    "report issues that were not read far enough to be scored."
)


@visitor.one_snapshot()
def show() -> None:
    """Draw the filters, the cards and the two tabs."""
    places = layout.draw("Natural order")
    boxes = {name: places.filters.container(width=width) for name, width in WIDTHS.items()}
    measure = measure_choice(boxes["measure"], "average_precision", help=NATURAL_ORDER)
    replay = source_choice(boxes["rankings"])
    scores, judged = _judge_scores(cache.state(), replay)
    is_asked = _ask_pairs(judged, boxes["reports"], boxes["rankers"])
    counts = natural_order.counts(judged, is_asked)
    n_early = n_not_evaluable(cache.not_evaluable_rankings(replay))
    with places.basis:
        st.caption(
            layout.basis_text(
                judged.pairs[is_asked].drop_duplicates(["report", "issue"]),
                f"{judged.n_left_out:,} pairs left out" if judged.n_left_out else "",
                f"{n_early:,} report issues left out" if n_early else "",
            ),
            help=LEFT_OUT,
        )
    cases = natural_order.cases(judged, scores, measure, is_asked)
    if counts["decided"].max():
        with places.answer:
            _draw_cards(counts[counts["measure"] == measure].iloc[0], cases, int(is_asked.sum()))
    practice, theory = st.tabs(["In practice", "In theory"], key="part", bind="query-params")
    if practice.open:
        with practice:
            _draw_practice(measure, scores, judged, counts, cases)
    else:
        with theory:
            possible_orders_page.draw(measure)
    draw_measure_problems()


MISLEADS_HELP = "Pairs for which the measure prefers the order that is worse in natural order."
CANNOT_TELL_HELP = "Pairs for which both orders have the same value, although one is better in natural order."
WORST_CASE_HELP = "Maximum number of extra papers to read in one list if this measure chose the ranker."


def _draw_cards(row: "pd.Series[Any]", cases: pd.DataFrame, n_pairs: int) -> None:
    """Draw cards that show how often a measure contradicts the natural order and what the worst case costs."""
    worst = cases.head(1).to_dict("records")
    n = {name: int(row[name]) for name in ("decided", "misleads", "cannot_tell")}
    cards.draw(
        [
            Card(
                "Prefers the worse order",
                percent(row["share_misleads"]),
                MISLEADS_HELP,
                count_text(n["misleads"], "pair"),
            ),
            Card(
                "No preference",
                percent(row["share_cannot_tell"]),
                CANNOT_TELL_HELP,
                count_text(n["cannot_tell"], "pair"),
            ),
            Card("Pairs", f"{n['decided']:,}", PAIRS, f"of {n_pairs:,}"),
            Card(
                "Worst case",
                f"+{worst[0]['papers_more']:,}" if worst else "none",
                WORST_CASE_HELP,
                f"papers · {worst[0]['report']} {worst[0]['issue'].date()}" if worst else "",
            ),
        ]
    )


def _draw_practice(
    measure: str, scores: pd.DataFrame, judged: PairVerdicts, counts: pd.DataFrame, cases: pd.DataFrame
) -> None:
    if judged.pairs.empty:
        if not empty.lacks_figures():
            empty.draw(
                "Nothing to compare yet. Two rankers must rank the same published report issue. Run another ranker as "
                "a shadow.",
                empty.TO_RANKERS,
            )
        return
    if not counts["decided"].max():
        st.info("Nothing to compare: all rankers put the relevant papers in the same positions.")
        return
    tiles = st.container(horizontal=True, gap="medium", key="counts-and-cases")  # wraps in narrow windows
    with tiles.container():
        _draw_counts(counts, measure)
    with tiles.container():
        opened = _choose_case(cases, measure)
    if opened is not None:
        _draw_case(opened, scores, measure)


def _ask_pairs(
    judged: PairVerdicts, place_of_report: DeltaGenerator, place_of_pair: DeltaGenerator
) -> NDArray[np.bool_]:
    """Draw the report and ranker filters. Return a mask that selects the matching pairs."""
    names = {report.code: report.name for report in catalogue.reports(cache.store(), retired=True)}
    pairs = judged.pairs
    report = choice(
        place_of_report,
        "Reports",
        ["", *sorted(pairs["report"].unique())],
        name="within",
        named=lambda code: report_label(code, names.get(code, code)) if code else "All",
    )
    is_first = pairs["better"] < pairs["worse"]
    named = pairs["better"].where(is_first, pairs["worse"]) + ", " + pairs["worse"].where(is_first, pairs["better"])
    pair = choice(
        place_of_pair,
        "Rankers",
        ["", *sorted(named.unique())],
        name="pair",
        named=lambda name: name or "All pairs",
    )
    is_asked = np.ones(len(pairs), dtype=bool)
    if report:
        is_asked &= (pairs["report"] == report).to_numpy()
    if pair:
        is_asked &= (named == pair).to_numpy()
    return is_asked


def _draw_counts(counts: pd.DataFrame, measure: str) -> None:
    """Draw the chart with a bar for each measure. A click on a bar selects the measure."""
    drawn = counts[counts["decided"] > 0]  # an undefined measure's bar would look like that of a perfect measure
    labels = [MEASURES[name].label for name in drawn["measure"]]
    chart = charts.misleading_bars(drawn.assign(label=labels, is_selected=drawn["measure"] == measure))
    layout.reserve(chart.height, "counts").altair_chart(chart, key=BARS, on_select=_pick_measure)
    offer("Download the counts as CSV", counts, "natural-order-counts.csv")


def _pick_measure() -> None:
    if clicked := st.session_state[BARS]["selection"].get(charts.CLICKED):
        st.session_state["measure"] = clicked[0]["measure"]


def _choose_case(cases: pd.DataFrame, measure: str) -> "pd.Series[Any] | None":
    """Draw the table of cases, worst first. Return the selected case.

    Defaults to the case in the URL or, if there is none, the worst case.
    """
    if cases.empty:
        st.info(f"No cases: {MEASURES[measure].label} never prefers the worse order.")
        return None
    names = cases["report"] + " " + cases["issue"].astype(str) + " " + cases["better"] + " " + cases["worse"]
    linked = np.flatnonzero(names == st.query_params.get("case"))
    first = int(linked[0]) if linked.size else 0
    # The key depends on all filters, because the selected row must be reset when the list of cases changes.
    key = "-".join(st.query_params.get(name, "") for name in ("measure", "replay", "within", "pair"))
    event = layout.reserve(ROWS, "cases").dataframe(
        cases,
        key=f"cases-{key}-{len(cases)}",
        on_select="rerun",
        selection_mode="single-row-required",
        selection_default={"selection": {"rows": [first]}},
        hide_index=True,
        height=ROWS,
        column_order=["report", "issue", "better", "worse", "papers_more", "better_value", "worse_value", "how_bad"],
        column_config=_columns(MEASURES[measure].label),
    )
    chosen = event["selection"]["rows"]
    row = chosen[0] if chosen else first
    st.query_params["case"] = names.iloc[row]
    offer(
        "Download these cases as CSV", cases.drop(columns=["better_row", "worse_row"]), f"natural-order-{measure}.csv"
    )
    return cases.iloc[row]


def _columns(label: str) -> dict[str, Any]:
    number, value = st.column_config.NumberColumn, "%.4f"
    return {
        "report": st.column_config.Column("Report", pinned=True, width=56),
        "issue": st.column_config.DateColumn("Issue", format="YYYY-MM-DD", width=84),
        "better": st.column_config.TextColumn("Better order", width=88, help="Ranker that is better in natural order."),
        "worse": st.column_config.TextColumn("Preferred", width=102, help=f"Ranker that {label} prefers."),
        "papers_more": number(
            "Extra papers",
            format="%d",
            width=84,
            help="Position of the last relevant paper in the preferred order, minus its position in the better order.",
        ),
        "better_value": number("Value, better", format=value, width=92, help=f"{label} of the better order."),
        "worse_value": number("Value, worse", format=value, width=94, help=f"{label} of the order that it prefers."),
        "how_bad": number("Severity", format="%.0f", width=62, help=SEVERITY),
    }


def _draw_case(case: "pd.Series[Any]", scores: pd.DataFrame, measure: str) -> None:
    """Draw an issue as ranked by two rankers: a table of figures, a slope chart and, on demand, both lists."""
    better, worse = scores.iloc[case["better_row"]], scores.iloc[case["worse_row"]]
    both = two_lists(cache.store(), better, worse)
    names, outcomes = (case["better"], case["worse"]), (better["outcome"], worse["outcome"])
    st.subheader(escape(f"{case['report']} · {case['issue'].date()}"), anchor=False)
    with st.container(key="side-by-side"):
        st.table(
            side_by_side(MEASURES[measure], names, outcomes, (case["better_value"], case["worse_value"])),
            hide_index=True,
        )
    st.caption("Red: the relevant paper that decides which list is better")
    chart = charts.two_lists(both.relevant, names, int(case["n_papers"]))
    layout.reserve(chart.height, "slopes").altair_chart(chart)
    details = st.expander("Both lists", key="lists", bind="query-params")
    if details.open:
        with details:
            _draw_lists(case, names, (both.better, both.worse))


def _draw_lists(case: "pd.Series[Any]", names: tuple[str, str], lists: tuple[pd.DataFrame, pd.DataFrame]) -> None:
    tiles = st.container(horizontal=True)
    for name, papers in zip(names, lists, strict=True):
        with tiles.container(width=LIST):
            st.markdown(f"**{escape(name)}**")
            _draw_list(papers)
    offer(
        "Download both lists as CSV",
        pd.concat([papers.assign(ranker=name) for name, papers in zip(names, lists, strict=True)]),
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


@cache_by_state
def _judge_scores(state: State, replay: int | None) -> tuple[pd.DataFrame, PairVerdicts]:
    """Return the scores and the verdicts. They are cached together because the verdicts refer to rows of the scores."""
    scores = keep_same_conditions(cache.comparison_scores(replay), 2).reset_index(drop=True)
    return scores, natural_order.judge(scores)
