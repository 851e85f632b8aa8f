"""The half of the page Natural order that needs no data: all possible orders, and what measures make of them."""

import pandas as pd
import streamlit as st

from desk import evaluation, possible_orders
from desk.boxes.table_file import offer
from desk.charts import possible_orders as charts
from desk.choice import choices, number
from desk.possible_orders import Possible
from desk.words import possible_orders as words
from desk.words.natural_order import percent, value_text
from metrics import MEASURES

MOST_N = 24
FIRST_R, FIRST_N = 3, 6
LINES = ["aselt", "lofop", "nosel", "copnori"]  # drawn beside the measure chosen


def draw(measure: str) -> None:
    """Draw all orders of r relevant papers among n, measures as lines beside them, and how often one contradicts."""
    r, n, names = _choose(measure)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _draw_orders(possible_orders.possible(r, n), names)
    with right:
        _draw_rates(measure, names, r, n)


def _choose(measure: str) -> tuple[int, int, list[str]]:
    first, second, third = st.columns([1, 1, 2])
    n = number(first, words.N, 2, MOST_N, name="n", default=FIRST_N)
    r = number(second, words.R, 1, MOST_N - 1, name="r", default=FIRST_R)
    others = choices(
        third,
        words.LINES,
        evaluation.MEASURED,
        name="drawn",
        named=lambda name: MEASURES[name].label,
        default=LINES,
    )
    if r >= n:
        st.caption(words.r_cut(r, n))
    return min(r, n - 1), n, list(dict.fromkeys([measure, *others]))


def _draw_orders(found: Possible, names: list[str]) -> None:
    st.subheader(words.ORDERS, anchor=False)
    shown = pd.DataFrame(
        {
            name: [
                value_text(MEASURES[name], outcome, value)
                for outcome, value in zip(found.outcomes, found.measures[name], strict=True)
            ]
            for name in names
        }
    )
    st.caption(f"{words.drawn_say(found.n_outcomes, len(found.outcomes))} {words.ORDERS_SAY}")
    st.altair_chart(charts.orders(found, names, shown))
    table = pd.DataFrame({"place": list(map(str, found.places)), "outcome": list(map(str, found.outcomes))})
    best = found.outcomes[0]
    offer(words.DOWNLOAD_ORDERS, table.join(found.measures[names]), f"natural-order-{best.r}-of-{best.n}.csv")


def _draw_rates(measure: str, names: list[str], r: int, n: int) -> None:
    st.subheader(words.rates_title(MEASURES[measure]), anchor=False)
    st.caption(words.RATES_SAY)
    rates = _rates(measure)
    st.altair_chart(charts.rates(rates, r, n))
    offer(words.DOWNLOAD_RATES, rates, f"natural-order-rates-{measure}.csv")
    st.subheader(words.contradictions_title(r, n), anchor=False)
    shares = ("prefers_worse", "cannot_tell")
    table = _by_measure(tuple(names), r, n)
    said = table.assign(pairs=table["pairs"].map("{:,}".format), **{name: table[name].map(percent) for name in shares})
    st.dataframe(said.rename(columns=words.SHARES), hide_index=True)


@st.cache_data(show_spinner=False)
def _rates(measure: str) -> pd.DataFrame:
    return possible_orders.rates(measure)


@st.cache_data(show_spinner=False, max_entries=200)
def _by_measure(names: tuple[str, ...], r: int, n: int) -> pd.DataFrame:
    return possible_orders.by_measure(names, r, n)
