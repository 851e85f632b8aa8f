"""How sure a verdict of the page Compare is: a sentence for each question, and the figures behind it once opened."""

from collections.abc import Callable, Sequence

import pandas as pd
import streamlit as st

from presort.desk.compare import charts, tables
from presort.desk.compare import figure_words as words
from presort.desk.compare.words import PairResult, chance_says
from presort.desk.scores.differences import units_of_differences, units_of_leads
from presort.desk.scores.pairs import PAIR, Paired, follow_natural_order, improvements, pair_with_f
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED
from presort.desk.text import plain
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import measure_choice
from presort.metrics import FCurve
from presort.metrics.improvement import ROBUST

ROWS = 380  # pixels of a long table


def answer(question: str, verdict: str) -> None:
    """Draw what is asked and a sentence that answers it."""
    st.markdown(f"**{question}** {plain(verdict)}")


@st.fragment
def draw_chance(
    paired: Paired, found: pd.DataFrame, measured: Callable[[], pd.DataFrame], pair_result: PairResult, against: str
) -> None:
    """Draw whether the lead may be chance; once opened, how far all rankers are apart by each measure.

    The leads in natural order are `found`; by the measures they are `measured` when asked for, as that takes long.
    """
    answer("Is it chance?", chance_says(pair_result, len(paired.rankers)))
    details = st.expander("By each measure", key="each", bind="query-params")
    if details.open:
        with details:
            table = pd.concat([found, measured()], ignore_index=True)
            _draw_differences(paired, table, against, is_turned=pair_result.ahead.ranker == against)


def _draw_differences(paired: Paired, found: pd.DataFrame, against: str, *, is_turned: bool) -> None:
    """Draw all differences in one direction: turned, above 0 it is better what all are compared with."""
    table = tables.difference_texts(found, paired, against, is_turned=is_turned)
    others = [name for name in paired.rankers if name != against]
    who = words.better_one(others, against, is_turned=is_turned)
    st.altair_chart(charts.difference_intervals(table.dropna(subset="effect"), others, who))
    st.caption(plain(words.differences_says(who, others, against)))
    has_more = st.toggle("Means and chances of the tests, too", key="more-figures")
    heads = words.MORE_COLUMNS if has_more else words.DIFFERENCE_COLUMNS
    st.dataframe(
        table,
        hide_index=True,
        height=ROWS,
        column_order=[name for name in heads if name not in ("ranker", "tukey_text") or len(others) > 1],
        column_config={
            name: st.column_config.Column(
                words.column_head(head, against if has_more else who),
                alignment="left" if name in words.NAMES else "right",
                pinned=name in ("name", "label") or None,
            )
            for name, head in heads.items()
        },
    )
    of = units_of_differences(paired)
    st.caption(words.differences_caption(of, units_of_leads(paired), len(paired.rankers)))
    offer("Download the differences as CSV", found.assign(against=against), "compare-measures.csv")


@st.fragment
def draw_two_measures(paired: Paired, ahead: PairResult, curve_of: Callable[[tuple[str, ...]], FCurve]) -> None:
    """Draw whether it depends on the measure which ranker is ahead, and on how much each of two measures weighs."""
    line = st.container()
    details = st.expander("By two measures at once", key="ratios", bind="query-params")
    with details:
        pair = _choose_pair()
        table, ratios = improvements(paired, pair)
        if details.open:
            _draw_improvements(table, ratios, pair)
    with line:
        uir = float(ratios[ahead.against][ahead.ranker])
        labels, follow = [MEASURES[name].label for name in pair], follow_natural_order(pair)
        text = words.robust_says(ahead.ranker, uir, labels, ROBUST, follow=follow)
        answer("Does it depend on the measure?", text)
    weighed = tuple(pair_with_f(paired, pair))
    curve = curve_of(weighed)
    labels = [MEASURES[name].label for name in weighed]
    small = tables.small_swaps(curve, words.SMALL_F)
    first = tables.ahead_throughout(curve, paired.rankers)
    text = words.weights_say(len(curve.swaps), small, curve.n_cases, labels, first)
    answer("And on how much each measure weighs?", text)
    if curve.n_cases:
        details = st.expander("Whatever the weight of the two", key="weights", bind="query-params")
        if details.open:
            with details:
                _draw_f_curves(paired, curve, weighed, is_other=weighed != pair)


def _choose_pair() -> tuple[str, str]:
    with st.container(horizontal=True):
        one = measure_choice(st.container(width=320), PAIR[0], label="One measure", name="one")
        others = [name for name in MEASURED if name != one]
        other = measure_choice(st.container(width=320), PAIR[1], label="The other", name="other", options=others)
    return one, other


def _draw_improvements(table: pd.DataFrame, ratios: pd.DataFrame, pair: Sequence[str]) -> None:
    pairs = tables.ordered_pairs(ratios)
    if pairs.empty:
        st.info("There is nothing to show: on no report issue are both measures defined.")
        return
    st.altair_chart(charts.improvement_bars(pairs, ROBUST))
    heads, has_f = words.IMPROVEMENT_COLUMNS, table["mean_f"].notna().any()
    st.dataframe(
        tables.improvement_texts(table),
        hide_index=True,
        column_order=[name for name in heads if name != "mean_f" or has_f],
        column_config={
            **heads,
            "ranker": st.column_config.Column(heads["ranker"], pinned=True),
            "mean_f": st.column_config.TextColumn(heads["mean_f"], alignment="right"),
            "improves": st.column_config.ListColumn(heads["improves"]),
            "reference_uir": st.column_config.TextColumn(heads["reference_uir"], alignment="right"),
        },
    )
    n_cases, n_left_out = table[["n_cases", "n_left_out"]].iloc[0]
    sentences = [
        words.of_cases(n_cases, n_left_out),
        (
            "The Unanimous Improvement Ratio (UIR) is the share of lists on which neither measure is worse and one at "
            "least is better, less the share of the reverse. From 0.25, a rule of thumb, an improvement does not "
            "depend on how the two are weighed."
        ),
    ]
    if table["mean_f"].isna().any():
        sentences.append("There is no mean F where a measure can be negative or lower is better.")
    st.caption(" ".join(sentences))
    as_text = table.assign(improves=table["improves"].map("; ".join)).join(ratios.add_prefix("uir_over_"))
    offer("Download the ratios as CSV", as_text.reset_index(names="ranker"), "compare-uir.csv")


def _draw_f_curves(paired: Paired, curve: FCurve, weighed: Sequence[str], *, is_other: bool) -> None:
    """Draw mean F over the weight of two measures; they are others than those chosen where these have no F."""
    first, second = (MEASURES[name] for name in weighed)
    st.altair_chart(charts.f_curve_lines(curve, list(paired.rankers), [first, second]))
    sentences = [words.of_cases(curve.n_cases, curve.n_left_out)]
    if is_other:
        sentences.append(f"Drawn of {first.label} and {second.label}: there is no F of the two measures above.")
    for swap in curve.swaps:
        below, above = paired.rankers[swap.below], paired.rankers[swap.above]
        ahead = f"{below} is ahead while {first.label} weighs less, {above} while it weighs more"
        sentences.append(f"At {swap.alpha:.2f} {below} and {above} swap: {ahead}.")
    st.caption(plain(" ".join(sentences)))
    table = pd.DataFrame(curve.mean_f.T, columns=list(paired.rankers))
    table.insert(0, f"weight_of_{first.name}", curve.alphas)
    offer("Download the curves as CSV", table, "compare-f.csv")
