"""Overview's part on where to stop: what editors were told to be left below, and what was found there."""

import math

import altair as alt
import numpy as np
import pandas as pd
import streamlit as st
from scipy.stats import poisson

from presort.data.learning.stop_audits import spot_checked_lists
from presort.desk.overview import words
from presort.desk.overview.glance import Selection
from presort.desk.scores import stop_audit
from presort.desk.scores.sorters import SORTED
from presort.desk.scores.stop_audit import missed
from presort.desk.text import counted
from presort.desk.ui import cache, table, visitor
from presort.desk.ui.colours import COLOURS, GREY

COLUMNS = {
    "report": "Report",
    "n_lists": "Lists read or spot-checked below",
    "found": "Relevant papers",
    "expected_below": "Told to be below",
    "found_below": "Found below",
}
KINDS = ["a month, all reports", "a report, all months"]
MISSED_HELP = (
    "Share of all relevant papers that is below the place where editors may stop. Each paper of a spot check counts "
    "for as many papers as it was drawn from. Only the first, complete check of a list counts."
)
FEWEST_CHECKED = 20  # lists, about 80 papers; of fewer, a single relevant paper makes the share look like nearly all
NO_CHECKS = "Without spot checks, relevant papers far below the stop points go unnoticed."
TOO_FEW_CHECKED = f"The share missed below the stop points is estimated once there are {FEWEST_CHECKED} lists."
BAND = 0.9  # of the counts that chance alone gives, were every forecast right


def show(selection: Selection) -> None:
    """Draw what was told and what was found, by month and by report."""
    st.header("Where to stop: told and found", anchor="told-and-found")
    if selection.replay is None:
        _draw_missed(selection.ranker)
    audits = cache.stop_audits(selection.replay, selection.ranker)
    st.markdown(words.audit_text(audits))
    if audits.empty:
        return
    by_report = stop_audit.sums(audits, "report").reset_index()
    st.altair_chart(
        _chart(stop_audit.by_month(audits).reset_index(names="of"), by_report.rename(columns={"report": "of"}))
    )
    st.caption("In the grey band, told and found agree as well as chance allows; above it, more was missed than told.")
    with st.expander("Report by report", type="compact"):
        by_report["expected_below"] = by_report["expected_below"].round(1)
        table.draw(by_report[[*COLUMNS]], COLUMNS, "told-and-found")


def _draw_missed(ranker: str) -> None:
    """Draw the share of relevant papers missed below the stop points, estimated from spot checks."""
    reports = cache.visible_reports()
    lists = [
        one
        for one in spot_checked_lists(visitor.whole_store())
        if ranker in (SORTED, one.ranker) and (reports is None or one.report in reports)
    ]
    if len(lists) < FEWEST_CHECKED:
        st.caption(f"Spot-checked lists: {len(lists)}. {TOO_FEW_CHECKED if lists else NO_CHECKS}")
        return
    found = missed(lists)
    left, middle, right = st.columns(3)
    left.metric("Missed below the stop point", _percent(found.share), border=True, help=MISSED_HELP)
    middle.metric("95 % confidence interval", f"{_percent(found.low)} to {_percent(found.high)}", border=True)
    checked = f"{found.n_found:,} of {found.n_checked:,}"
    right.metric("Relevant papers in spot checks", checked, border=True, help=f"In {counted(found.n_lists, 'list')}.")


def _percent(share: float) -> str:
    return "not known" if math.isnan(share) else f"{100 * share:.1f} %"


def _chart(months: pd.DataFrame, reports: pd.DataFrame) -> alt.LayerChart:
    """Draw the counts found against the expected counts, with the band of differences that chance explains."""
    points = pd.concat([months.assign(kind=KINDS[0]), reports.assign(kind=KINDS[1])])
    end = float(max(points["expected_below"].max(), points["found_below"].max(), 1)) * 1.05
    expected = np.linspace(0, end, 80)
    tail = (1 - BAND) / 2
    band = pd.DataFrame(
        {"expected": expected, "low": poisson.ppf(tail, expected), "high": poisson.ppf(1 - tail, expected)}
    )
    band = band.fillna(0).clip(lower=0, upper=end)
    scale = alt.Scale(domain=[0, end], nice=False)
    x = alt.X("expected:Q", scale=scale, title="Relevant papers told to be below the stop")
    area = alt.Chart(band).mark_area(color=GREY, opacity=0.25).encode(x, alt.Y("low:Q", scale=scale), alt.Y2("high:Q"))
    even = alt.Chart(pd.DataFrame({"expected": [0, end], "found": [0, end]}))
    line = even.mark_line(color=GREY, strokeDash=[4, 3]).encode(x, alt.Y("found:Q"))
    drawn = (
        alt.Chart(points)
        .mark_point(filled=True, size=55, opacity=0.8)
        .encode(
            alt.X("expected_below:Q", scale=scale),
            alt.Y("found_below:Q", scale=scale, title="Found there"),
            alt.Color("kind:N", title=None, scale=alt.Scale(domain=KINDS, range=COLOURS), legend=_legend()),
            alt.Shape("kind:N", title=None, scale=alt.Scale(domain=KINDS, range=["circle", "square"])),
            tooltip=[
                alt.Tooltip("of:N", title="Of"),
                alt.Tooltip("expected_below:Q", title="Told", format=".1f"),
                alt.Tooltip("found_below:Q", title="Found"),
                alt.Tooltip("n_lists:Q", title="Lists"),
            ],
        )
    )
    layers: alt.LayerChart = (area + line + drawn).properties(height=320)
    return layers


def _legend() -> alt.Legend:
    return alt.Legend(orient="bottom", columns=1)
