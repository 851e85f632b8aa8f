"""The *In theory* tab on *Natural order*: all possible orders and each measure's values for them. It needs no data."""

import pandas as pd
import streamlit as st

from presort.desk.natural_order import possible_orders
from presort.desk.natural_order import possible_orders_charts as charts
from presort.desk.natural_order.possible_orders import JUDGED_OF_MORE, MOST_JUDGED, PossibleOrders
from presort.desk.natural_order.tables import percent, value_text
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.table import MEASURED
from presort.desk.ui.choice import choices, number
from presort.desk.ui.download import offer

MOST_N = 24
FIRST_R, FIRST_N = 3, 6
LINES = ["aselt", "lofop", "nosel", "copnori"]  # measures drawn by default in addition to the selected measure


def rows_text(n_outcomes: int, n_drawn: int) -> str:
    """Describe which orders the rows of the chart show.

    Examples
    --------
    >>> rows_text(10, 10)
    'All 10 orders.'
    >>> rows_text(2002, 101)
    'Too many to draw: 101 of 2,002 orders, evenly spaced from best to worst. Lines may also turn between these rows.'
    """
    if n_drawn == n_outcomes:
        return f"All {n_outcomes:,} orders."
    some = f"{n_drawn} of {n_outcomes:,} orders, evenly spaced from best to worst"
    return f"Too many to draw: {some}. Lines may also turn between these rows."


def draw(measure: str) -> None:
    """Draw all orders of r relevant papers among n, with the measures as lines, and the rates of contradiction."""
    r, n, names = _choose(measure)
    left, right = st.columns([3, 2], gap="medium")
    with left:
        _draw_orders(possible_orders.select_orders(r, n), names)
    with right:
        _draw_rates(measure, names, r, n)


def _choose(measure: str) -> tuple[int, int, list[str]]:
    first, second, third = st.columns([1, 1, 2])
    n = number(first, "n, papers in the list", 2, MOST_N, name="n", default=FIRST_N)
    r = number(second, "r, relevant papers", 1, MOST_N - 1, name="r", default=FIRST_R)
    others = choices(
        third,
        "Measures drawn as lines",
        MEASURED,
        name="drawn",
        named=lambda name: MEASURES[name].label,
        default=LINES,
    )
    if r >= n:
        st.caption(f"r must be below n. The charts use r = {n - 1}.")
    return min(r, n - 1), n, list(dict.fromkeys([measure, *others]))


def _draw_orders(found: PossibleOrders, names: list[str]) -> None:
    st.header("All orders, best on top", anchor=False)
    shown = pd.DataFrame(
        {
            name: [
                value_text(MEASURES[name], outcome, value)
                for outcome, value in zip(found.outcomes, found.measures[name], strict=True)
            ]
            for name in names
        }
    )
    st.caption(
        f"{rows_text(found.n_outcomes, len(found.outcomes))} Each row is an order, with its first place on the left. "
        "Filled squares are relevant papers. Each line is a measure, scaled from its worst to its best value in these "
        "rows. Better values are further right. Red line: the measure prefers an order to the better order above it. "
        "Vertical line: no preference."
    )
    st.altair_chart(charts.orders(found, names, shown))
    table = pd.DataFrame({"place": list(map(str, found.places)), "outcome": list(map(str, found.outcomes))})
    best = found.outcomes[0]
    offer("Download the rows as CSV", table.join(found.measures[names]), f"natural-order-{best.r}-of-{best.n}.csv")


def _draw_rates(measure: str, names: list[str], r: int, n: int) -> None:
    st.header(f"How often {MEASURES[measure].label} prefers the worse order", anchor=False)
    st.caption(
        "Percentage of pairs of orders for which the measure prefers the worse order. The frame marks the selected n "
        f"and r. With more than {MOST_JUDGED} orders, the percentage is estimated from {JUDGED_OF_MORE} random orders, "
        "with an error of a few percentage points."
    )
    rates = _rates(measure)
    if rates.empty:
        st.info(f"{MEASURES[measure].label} is not defined for any of these orders.")
    else:
        st.altair_chart(charts.rates(rates, r, n))
        offer("Download the rates as CSV", rates, f"natural-order-rates-{measure}.csv")
    st.header(f"{r} relevant of {n} papers", anchor=False)
    shares = ("prefers_worse", "cannot_tell")
    table = _contradiction_table(tuple(names), r, n)
    shown = table.assign(pairs=table["pairs"].map("{:,}".format), **{name: table[name].map(percent) for name in shares})
    st.dataframe(
        shown.rename(
            columns={
                "measure": "Measure",
                "pairs": "Pairs",
                "prefers_worse": "Prefers the worse order",
                "cannot_tell": "No preference",
            }
        ),
        hide_index=True,
    )
    offer("Download these shares as CSV", table, f"natural-order-rates-{r}-of-{n}.csv")


@st.cache_data(show_spinner=False)
def _rates(measure: str) -> pd.DataFrame:
    return possible_orders.rates(measure)


@st.cache_data(show_spinner=False, max_entries=200)
def _contradiction_table(names: tuple[str, ...], r: int, n: int) -> pd.DataFrame:
    return possible_orders.contradiction_table(names, r, n)
