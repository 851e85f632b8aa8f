"""Stop audit on *Overview*: relevant papers expected and found below the stop points."""

import math

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from scipy.stats import poisson

from presort.data.learning.stop_audits import spot_checked_lists
from presort.data.records import SpotCheckedList
from presort.desk.overview.figures import Selection
from presort.desk.scores import stop_audit
from presort.desk.scores.sorters import SORTED
from presort.desk.scores.stop_audit import estimate_missed_share
from presort.desk.text import count_text
from presort.desk.ui import cache, table, visitor
from presort.desk.ui.cards import UNKNOWN, Card
from presort.desk.ui.colours import COLOURS, GREY

COLUMNS = {
    "report": "Report",
    "n_lists": "Audited lists",
    "found": "Relevant papers",
    "expected_below": "Expected below",
    "found_below": "Found below",
}
KINDS = ["month (all reports)", "report (all months)"]
MISSED_BELOW_STOP, TARGET = "Missed below stop", 5  # percent of the relevant papers, at a target recall of 95 %
MISSED_HELP = (
    "Share of all relevant papers that are below the stop point, at a target recall of 95 %. It is based on lists that "
    "were read below the stop point or, if there are at least {n} complete spot checks, on the spot checks. If 4 "
    "of 200 papers were checked, each checked paper represents 50 papers."
)
# Minimum number of lists for an estimate. 20 spot-checked lists have about 80 checked papers. With fewer lists, a
# single relevant paper would dominate the estimate.
FEWEST_LISTS = 20
BAND_HELP = (
    "If all forecasts are right, 90 % of the points are within the grey band. At points above it, more relevant papers "
    "were missed than expected. Target recall: 95 %."
)
BAND = 0.9  # probability that a count is within the band if the forecast is right


def audits_of(selection: Selection, cases: pd.DataFrame) -> pd.DataFrame:
    """Return the stop audits of the selected rankings.

    If rankings for editors are selected but have fewer than `FEWEST_LISTS` audits, returns the audits of the newest
    replay. `cases` contains the ``replay`` of each report issue, which is missing for rankings created for editors.
    """
    audits = cache.stop_audits(selection.replay, selection.ranker)
    if len(audits) >= FEWEST_LISTS or selection.replay is not None or cases["replay"].isna().all():
        return audits
    return cache.stop_audits(int(cases["replay"].max()), selection.ranker)


def card(selection: Selection, audits: pd.DataFrame) -> Card:
    """Return a card with the share of relevant papers that were missed below the stop points."""
    help = MISSED_HELP.format(n=FEWEST_LISTS)
    target = f"target {TARGET} %"
    lists = _spot_checked_lists(selection)
    if len(lists) >= FEWEST_LISTS:
        found = estimate_missed_share(lists)
        interval = f" · 95 % CI {100 * found.low:.1f}–{100 * found.high:.1f}"  # noqa: RUF001
        n_lists = f" {count_text(found.n_lists, 'list')}, {found.n_found:,} of {found.n_checked:,} papers relevant."
        return Card(MISSED_BELOW_STOP, _percent(found.share), help + n_lists, target + interval)
    n_found = audits["found"].sum()
    share = audits["found_below"].sum() / n_found if n_found else math.nan
    size = f" · {count_text(len(audits), 'list')}" if len(audits) else ""
    return Card(MISSED_BELOW_STOP, _percent(share), help, target + size)


def show(audits: pd.DataFrame) -> None:
    """Draw the numbers of relevant papers expected and found below the stop points, by month and by report."""
    if audits.empty:
        return
    with st.expander(
        "Stop audit: relevant papers expected and found below the stop points", type="compact", key="stop-audit"
    ):
        by_report = stop_audit.sums(audits, "report").reset_index()
        st.altair_chart(
            _chart(stop_audit.sums_by_month(audits).reset_index(names="of"), by_report.rename(columns={"report": "of"}))
        )
        st.caption(BAND_HELP)
        by_report["expected_below"] = by_report["expected_below"].round(1)
        table.draw(by_report[[*COLUMNS]], COLUMNS, "stop-audit")


def _spot_checked_lists(selection: Selection) -> list[SpotCheckedList]:
    if selection.replay is not None:
        return []
    reports = cache.visible_reports()
    return [
        one
        for one in spot_checked_lists(visitor.whole_store())
        if selection.ranker in (SORTED, one.ranker) and (reports is None or one.report in reports)
    ]


def _percent(share: float) -> str:
    return UNKNOWN if math.isnan(share) else f"{100 * share:.1f} %"


def _chart(months: pd.DataFrame, reports: pd.DataFrame) -> alt.LayerChart:
    """Plot the numbers of papers found against the numbers expected, with a band that shows random variation."""
    points = pd.concat([months.assign(kind=KINDS[0]), reports.assign(kind=KINDS[1])])
    end = float(max(points["expected_below"].max(), points["found_below"].max(), 1)) * 1.05
    expected = np.linspace(0, end, 80)
    tail = (1 - BAND) / 2
    band = pd.DataFrame(
        {"expected": expected, "low": poisson.ppf(tail, expected), "high": poisson.ppf(1 - tail, expected)}
    )
    band = band.fillna(0).clip(lower=0, upper=end)
    scale = alt.Scale(domain=[0, end], nice=False)
    x = alt.X("expected:Q", scale=scale, title="Relevant papers expected below the stop point")
    area = alt.Chart(band).mark_area(color=GREY, opacity=0.25).encode(x, alt.Y("low:Q", scale=scale), alt.Y2("high:Q"))
    even = alt.Chart(pd.DataFrame({"expected": [0, end], "found": [0, end]}))
    line = even.mark_line(color=GREY, strokeDash=[4, 3]).encode(x, alt.Y("found:Q"))
    drawn = (
        alt.Chart(points)
        .mark_point(filled=True, size=55, opacity=0.8)
        .encode(
            alt.X("expected_below:Q", scale=scale),
            alt.Y("found_below:Q", scale=scale, title="Relevant papers found below"),
            alt.Color("kind:N", title=None, scale=alt.Scale(domain=KINDS, range=COLOURS), legend=_legend()),
            alt.Shape("kind:N", title=None, scale=alt.Scale(domain=KINDS, range=["circle", "square"])),
            tooltip=[
                alt.Tooltip("of:N", title="Month or report"),
                alt.Tooltip("expected_below:Q", title="Expected", format=".1f"),
                alt.Tooltip("found_below:Q", title="Found"),
                alt.Tooltip("n_lists:Q", title="Lists"),
            ],
        )
    )
    layers: alt.LayerChart = (area + line + drawn).properties(height=320)
    return layers


def _legend() -> alt.Legend:
    return alt.Legend(orient="bottom", columns=1)
