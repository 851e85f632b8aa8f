"""All reports on Quality: what should be looked at, a small picture of each, and the effort saved."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from functools import partial
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd
import streamlit as st

from data import catalogue, people, rankings, service
from data.desk_work import decided_issues, last_in_list
from desk import cache, quality
from desk.alarms import NEW, silent
from desk.boxes import quality_cell
from desk.boxes.quality_cell import draw_cell
from desk.boxes.table_file import offer
from desk.charts import COLOURS, GREY
from desk.charts.sparks import limits, spark
from desk.pages import review
from desk.quality import LAST, Glance
from desk.summary_html import summary_html
from desk.words import quality as words
from desk.words.text import plain
from desk.work_done import work_done
from metrics import MEASURES, Measure

KEPT = timedelta(hours=1)
WORSE = COLOURS[1]
NAMED_AT_ONCE = 6  # alarms; the others are folded away

STYLE = """
<style>
.st-key-pictures {
    display: grid; gap: 10px 14px; grid-template-columns: repeat(auto-fill, minmax(6.75rem, 1fr)); }
.st-key-pictures > * { min-width: 0; margin: 0; }
[class*="st-key-alarm-"] { font-variant-numeric: tabular-nums; row-gap: 0; }
[class*="st-key-alarm-"] > * { max-width: 100%; margin: 0; }
[class*="st-key-alarm-"] [data-testid="stPageLink"] a { padding: 0; }
[class*="st-key-alarm-"] button { min-height: 0; padding-block: 0; }
@media (max-width: 640px) { .st-key-pictures { max-height: 60vh; overflow-y: auto; } }
</style>
"""


@dataclass(frozen=True)
class Asked:
    """What is looked at: rankings of which source (None: for editors), by whom, for which reports, by what measure."""

    replay: int | None
    ranker: str
    reports: tuple[str, ...]
    measure: str


class Named(NamedTuple):
    """An alarm: what is said of a report, the issue to open (None for the report in depth), and whose reading it is."""

    report: str
    said: str
    opens: date | None = None
    editors: Sequence[str] = ()


def show(asked: Asked) -> None:
    """Draw all reports at once."""
    seen = _seen(asked)
    st.html(STYLE)
    _draw_alarms(asked, seen)
    st.subheader(words.ALL_REPORTS, anchor="all-reports")
    worse = [found.report for found in seen.worse]
    _draw_pictures(asked, seen, worse)
    is_last = asked.measure == LAST
    st.caption(words.glance(MEASURES[asked.measure], is_last=is_last, n_worse=len(worse)))
    _draw_effort(asked, seen)
    _draw_table(asked, seen)
    _offer_summary(asked)


def _offer_summary(asked: Asked) -> None:
    scored = cache.all_scores(asked.replay)
    mine = scored[scored["report"].isin(asked.reports)]
    if (mine["n_relevant"] > 0).any():
        st.download_button(
            words.SUMMARY,
            partial(summary_html, cache.store(), mine, ranker=asked.ranker, replay=asked.replay),  # made on the click
            file_name="summary.html",
            mime="text/html",
            icon=":material/mail:",
            on_click="ignore",
        )


def _seen(asked: Asked) -> Glance:
    store = cache.store()
    return _glance(store.path, rankings.outcomes_state(store), asked)


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=50)
def _glance(path: Path, state: tuple[int, str], asked: Asked) -> Glance:
    table = quality.of_ranker(cache.all_scores(asked.replay), asked.ranker, asked.reports)
    work = _work(path, state, table["issue"].min().date())
    mine = work[work["report"].isin(asked.reports)]
    return quality.glance(table, asked.measure, _received(path, state), mine)


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=1)
def _received(path: Path, state: tuple[int, str]) -> dict[tuple[str, date], int]:
    return last_in_list(cache.store())


@st.cache_resource(show_spinner=False, ttl=KEPT, max_entries=2)
def _work(path: Path, state: tuple[int, str], since: date) -> pd.DataFrame:
    return work_done(cache.store(), since)


def _draw_alarms(asked: Asked, seen: Glance) -> None:
    st.subheader(words.ALARMS, anchor="alarms")
    named = _named(asked, seen)
    if not named:
        st.markdown(words.NO_ALARM)
    _draw_named(named[:NAMED_AT_ONCE])
    if further := named[NAMED_AT_ONCE:]:
        with st.expander(words.further(len(further))):
            _draw_named(further)
    st.caption(words.HOW)


def _named(asked: Asked, seen: Glance) -> list[Named]:
    """Give the alarms, the surest of each kind first."""
    store = cache.store()
    days = [issue.date for issue in catalogue.issues(store)]
    decided = {report: mine for report, mine in decided_issues(store).items() if report in asked.reports}
    lasts = seen.overview.set_index("report")[["last_before", "last_now"]]
    worse = [Named(one.report, words.is_worse(one, *lasts.loc[one.report])) for one in seen.worse]
    known = people.editorships(store)
    early = [
        Named(one.report, words.is_early(one), one.since, people.editors_on(known, one.report, days[-1]))
        for one in seen.early
    ]
    mute = [
        Named(one.report, words.is_silent(one), one.since, people.editors_on(known, one.report, days[-1]))
        for one in silent(decided, days, today=date.today())
    ]
    return worse + early + mute


def _draw_named(named: Sequence[Named]) -> None:
    with st.container(gap="xsmall"):
        for one in named:
            _draw_alarm(one)


def _draw_alarm(one: Named) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="small", key=f"alarm-{one.report}-{one.opens}"):
        of = plain(words.edited_by(one.report, one.editors))
        st.markdown(f":orange[:material/warning:] **{of}** {plain(one.said)}", width="content")
        if one.opens is None:
            st.button(
                f":primary[{words.LOOK}]", key=f"look-{one.report}", type="tertiary", on_click=_open, args=(one.report,)
            )
        else:
            query = {"report": one.report, "issue": str(one.opens)}
            page = st.Page(review.show, url_path="review", default=True)
            st.page_link(page, label=f":primary[{words.OPEN}]", query_params=query)


def _draw_pictures(asked: Asked, seen: Glance, worse: Sequence[str]) -> None:
    measure = MEASURES[asked.measure]
    below = None if asked.measure == LAST else seen.chosen
    edges = limits(seen.chosen.to_numpy(), share=measure.unit.startswith("share"))
    rows = seen.overview.set_index("report")
    colours = service.colours(cache.store())  # the chosen: a line above all of them would say nothing
    with st.container(key="pictures"):
        for report in [*worse, *(code for code in rows.index if code not in worse)]:
            newest = WORSE if report in worse else GREY
            roots = np.sqrt(seen.last.loc[report].to_numpy())  # else most would lie on the ground
            pictures = [spark(roots, low=0, high=1, colour=newest, newest=NEW)]
            if below is not None:
                values = below.loc[report].to_numpy()
                pictures.append(spark(values, low=edges[0], high=edges[1], colour=newest, newest=NEW))
            figures = words.now_and_before(rows.loc[report, "last_now"], rows.loc[report, "last_before"])
            draw_cell(report, report, _open, figures, pictures, colour=colours.get(report, "transparent"))


def _open(report: str) -> None:
    quality_cell.choose("report", report)


def _draw_effort(asked: Asked, seen: Glance) -> None:
    saved = seen.effort
    if saved.empty:
        return
    with st.container(gap="xsmall"):
        st.markdown(plain(words.saved(saved["papers"].sum(), saved["minutes"].sum(), len(saved), asked.ranker)))
        timed = saved.loc[saved["is_timed"], "report"].nunique()
        st.caption(words.paced(timed, saved["report"].nunique()))


def _draw_table(asked: Asked, seen: Glance) -> None:
    with st.expander(words.TABLE):
        table = seen.overview.assign(worse=seen.overview["report"].isin([one.report for one in seen.worse]))
        shown = table.drop(columns=["before", "now"]) if asked.measure == LAST else table
        st.dataframe(
            shown.assign(last_before=100 * shown["last_before"], last_now=100 * shown["last_now"]),
            hide_index=True,
            column_config=_columns(MEASURES[asked.measure]),
        )
        offer(words.DOWNLOAD_ALL, table, f"quality-all-{asked.ranker}.csv")


def _columns(measure: Measure) -> dict[str, Any]:
    number = st.column_config.NumberColumn
    as_text = st.column_config.TextColumn if measure.gap else partial(number, format="%.4f")
    return {
        "report": "Report",
        "issues": "Issues",
        "last_before": number(words.LAST_BEFORE, format="%.1f %%"),
        "last_now": number(words.LAST_NOW, format="%.1f %%"),
        "before": as_text(f"{measure.label}, {words.BEFORE}"),
        "now": as_text(f"{measure.label}, {words.NOW}"),
        "papers": number(words.PAPERS_SAVED, format="%.0f"),
        "minutes": number(words.MINUTES_SAVED, format="%.0f"),
        "worse": words.IS_WORSE,
    }
