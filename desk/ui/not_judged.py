"""A line below figures: how many report issues they leave out, as their editors stopped reading too early."""

from collections.abc import Collection
from datetime import date

import streamlit as st

from presort.desk.scores import table
from presort.desk.scores.outcomes import not_judged_says
from presort.desk.ui import cache


def show(
    replay: int | None,
    rankers: Collection[str] | None = None,
    reports: Collection[str] | None = None,
    *,
    first: date | None = None,
    last: date | None = None,
) -> None:
    """Draw the line of what is left out of such figures, and nothing where nothing is.

    No replay is for rankings made for editors. The figures are of all rankers, reports and issues unless told.
    """
    n = table.n_not_judged(cache.not_judged(replay), rankers, reports, first=first, last=last)
    if said := not_judged_says(n):
        st.caption(said)
