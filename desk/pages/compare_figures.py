"""The figures of the page Compare, each with the table behind it."""

from collections.abc import Sequence
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.navigation.page import StreamlitPage

from desk import cache, compare, compare_tables
from desk.boxes.table_file import offer
from desk.charts import compare as charts
from desk.charts.natural_order import two_lists as lists_chart
from desk.choice import choice
from desk.compare import PAIR, ROBUST, Paired
from desk.differences import LEAST_UNITS, units
from desk.evaluation import MEASURED
from desk.pages import review
from desk.two_lists import two_lists
from desk.words import compare_figures as words
from desk.words.text import plain
from metrics import MEASURES

ROWS = 380  # pixels of a long table
PICKED = "picked"  # the report issue that is open, in the address


def follow_link_to_review() -> None:
    """Go to Review if a link to it was opened in a new tab: Streamlit writes it relative to this page."""
    if "issue" in st.query_params:
        st.switch_page(_review(), query_params=st.query_params.to_dict())


def draw_differences(paired: Paired, found: pd.DataFrame, against: str) -> None:
    """Draw how far the other rankers are from one by each measure."""
    st.subheader(words.DIFFERENCES, anchor=False)
    table = compare_tables.difference_texts(found, paired, against)
    others = [name for name in paired.rankers if name != against]
    st.altair_chart(charts.difference_intervals(table.dropna(subset="effect"), others))
    st.caption(plain(words.picture_caption(against)))
    st.dataframe(
        table,
        hide_index=True,
        height=ROWS,
        column_order=[name for name in words.DIFFERENCE_COLUMNS if name != "ranker" or len(others) > 1],
        column_config={
            name: st.column_config.Column(
                words.named(head, against), alignment="left" if name in words.NAMES else "right"
            )
            for name, head in words.DIFFERENCE_COLUMNS.items()
        },
    )
    of = units(paired.cases)
    st.caption(words.differences_caption(of.kind, of.n, LEAST_UNITS, len(paired.rankers)))
    offer(words.DOWNLOAD_TABLE, found.assign(against=against), "compare-measures.csv")


@st.fragment
def draw_scatter(paired: Paired, replay: int | None, a: str, b: str) -> None:
    """Draw two rankers issue by issue, and the one that was picked."""
    st.subheader(words.SCATTER, anchor=False)
    name = choice(
        st.container(width=420),
        words.MEASURE,
        MEASURED,
        name="measure",
        named=lambda name: MEASURES[name].label,
        default=MEASURED.index("relative_last_position"),
    )
    measure = MEASURES[name]
    table = compare_tables.point_texts(paired, a, b, name)
    table["is_picked"] = table["at"] == st.query_params.get(PICKED)
    drawn = compare_tables.drawable(table)
    if not drawn.empty:
        st.altair_chart(charts.scatter(drawn, a, b, measure), key="scatter", on_select=_pick_point)
    st.caption(plain(words.scatter_caption(a, measure, len(table) - len(drawn))))
    for _, point in table[table["is_picked"]].iterrows():  # one at most
        _draw_picked(point, replay, a, b)
    st.dataframe(
        table,
        key="scatter-rows",
        on_select=lambda: _pick_row(table["at"]),
        selection_mode="single-row",
        hide_index=True,
        height=ROWS,
        column_order=list(words.POINT_COLUMNS),
        column_config=_point_columns(a, b),
    )
    as_file = table.drop(columns=["drawn_a", "drawn_b", "at", "is_picked"]).assign(measure=name, ranker_a=a, ranker_b=b)
    offer(words.DOWNLOAD_POINTS, as_file, "compare-report-issues.csv")


def draw_improvements(paired: Paired) -> tuple[Sequence[str], pd.DataFrame]:
    """Draw which ranker improves which by two measures; give these, and the ratios."""
    st.subheader(words.IMPROVEMENT, anchor=False)
    with st.container(horizontal=True):
        one = _choose_measure(words.ONE, "one", list(MEASURED), PAIR[0])
        pair = (one, _choose_measure(words.OTHER, "other", [name for name in MEASURED if name != one], PAIR[1]))
    table, ratios = compare.improvements(paired, pair)
    pairs = compare_tables.ordered_pairs(ratios)
    if pairs.empty:
        st.info(words.NO_RATIO)
        return pair, ratios
    st.altair_chart(charts.improvement_bars(pairs, ROBUST))
    heads, has_f = words.IMPROVEMENT_COLUMNS, table["mean_f"].notna().any()
    st.dataframe(
        compare_tables.improvement_texts(table),
        hide_index=True,
        column_order=[name for name in heads if name != "mean_f" or has_f],
        column_config={
            **heads,
            "mean_f": st.column_config.TextColumn(heads["mean_f"], alignment="right"),
            "improves": st.column_config.ListColumn(heads["improves"]),
            "reference_uir": st.column_config.TextColumn(heads["reference_uir"], alignment="right"),
        },
    )
    n_cases, n_left_out = table[["n_cases", "n_left_out"]].iloc[0]
    said = [words.of_cases(n_cases, n_left_out), words.UIR_CAPTION]
    said += [words.NO_F] if table["mean_f"].isna().any() else []
    said += [words.SAME_AS_NATURAL] if compare.follow_natural_order(pair) else []
    st.caption(" ".join(said))
    as_text = table.assign(improves=table["improves"].map("; ".join)).join(ratios.add_prefix("uir_over_"))
    offer(words.DOWNLOAD_IMPROVEMENTS, as_text.reset_index(names="ranker"), "compare-uir.csv")
    return pair, ratios


def draw_f_curves(paired: Paired, pair: Sequence[str]) -> None:
    """Draw mean F over the weight of two measures: those chosen, or where there is no F of them, two others."""
    st.subheader(words.F_CURVES, anchor=False)
    chosen = compare.pair_with_f(paired, pair)
    curve = compare.f_curves(paired, chosen)
    first, second = (MEASURES[name] for name in chosen)
    if not curve.n_cases:
        st.info(words.NO_CURVE)
        return
    st.altair_chart(charts.f_curve_lines(curve, list(paired.rankers), [first, second]))
    said = [words.of_cases(curve.n_cases, curve.n_left_out)]
    said += [words.other_pair(first.label, second.label)] if tuple(chosen) != tuple(pair) else []
    swaps = [
        words.swap_says(swap.alpha, paired.rankers[swap.below], paired.rankers[swap.above], first.label)
        for swap in curve.swaps
    ]
    st.caption(plain(" ".join([*said, *(swaps or [words.NO_SWAP])])))
    table = pd.DataFrame(curve.mean_f.T, columns=list(paired.rankers))
    table.insert(0, f"weight_of_{first.name}", curve.alphas)
    offer(words.DOWNLOAD_CURVES, table, "compare-f.csv")


def _choose_measure(label: str, name: str, options: list[str], default: str) -> str:
    index = options.index(default) if default in options else 0
    place = st.container(width=320)
    return choice(place, label, options, name=name, named=lambda name: MEASURES[name].label, default=index)


def _point_columns(a: str, b: str) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    heads = {name: words.named(head, a, b) for name, head in words.POINT_COLUMNS.items()}
    return {
        **heads,
        "issue": st.column_config.DateColumn(heads["issue"], format="YYYY-MM-DD"),
        "apart": number(heads["apart"], format="%+d", help=words.APART_HELP),
        "shown_a": st.column_config.TextColumn(heads["shown_a"], alignment="right"),
        "shown_b": st.column_config.TextColumn(heads["shown_b"], alignment="right"),
    }


def _pick_point() -> None:
    if picked := st.session_state["scatter"]["selection"].get(charts.CLICKED):
        st.query_params[PICKED] = picked[0]["at"]


def _pick_row(names: "pd.Series[str]") -> None:
    if rows := st.session_state["scatter-rows"]["selection"]["rows"]:
        st.query_params[PICKED] = names.iloc[rows[0]]


def _draw_picked(point: "pd.Series[Any]", replay: int | None, a: str, b: str) -> None:
    """Draw a report issue as both rankers sorted it."""
    issue = point["issue"].date()
    st.markdown(f"**{plain(words.picked_says(point['report'], str(issue), point['n_papers'], point['n_relevant']))}**")
    better, worse = (b, a) if point["sign"] > 0 else (a, b)
    if point["sign"]:
        scores = cache.all_scores(replay)
        of_issue = scores[(scores["report"] == point["report"]) & (scores["issue"] == point["issue"])]
        rows = {row["ranker"]: row for _, row in of_issue.iterrows()}
        both = two_lists(cache.store(), rows[better], rows[worse])
        st.altair_chart(lists_chart(both.relevant, (better, worse), int(point["n_papers"])))
    else:
        st.write(plain(words.same_places(a, b, point["last_a"])))
    st.page_link(
        _review(),
        label=words.TO_REVIEW,
        icon=":material/checklist:",
        query_params={"report": point["report"], "issue": str(issue)},
    )


def _review() -> StreamlitPage:
    return st.Page(review.show, url_path="review", default=True)
