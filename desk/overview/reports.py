"""All reports on Overview: a small picture of each, how time was reckoned, and the table behind them."""

import math
from collections.abc import Sequence
from functools import partial

import numpy as np
import pandas as pd
import streamlit as st

from presort.data.running import service
from presort.desk import pages
from presort.desk.overview import words
from presort.desk.overview.glance import LAST, Glance, Selection
from presort.desk.scores.alarms import NEW
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.words import newest, share
from presort.desk.summary.document import summary_html
from presort.desk.text import on_screen, plain
from presort.desk.ui import cache
from presort.desk.ui.colours import COLOURS, GREY
from presort.desk.ui.download import offer
from presort.desk.ui.score_choice import draw_not_evaluable
from presort.desk.ui.sparks import draw_cell, limits, spark

WORSE = COLOURS[1]
MAY_BE_BLANK = ("last_before", "before", "papers", "minutes", "would_papers", "would_minutes")
SAVED = "Where the editor read the list in this order; what was read beyond the last relevant paper is not saved."
WOULD = "Where this order was made after the fact, or beside the one that was read."

STYLE = """
<style>
.st-key-pictures {
    display: grid; gap: 10px 14px; grid-template-columns: repeat(auto-fill, minmax(6.75rem, 1fr)); }
.st-key-pictures > * { min-width: 0; margin: 0; }
@media (max-width: 640px) { .st-key-pictures { max-height: 60vh; overflow-y: auto; } }
</style>
"""


def show(selection: Selection, seen: Glance) -> None:
    """Draw a picture of each report, and the table behind."""
    st.html(STYLE)
    worse = [found.report for found in seen.worse]
    _draw_pictures(selection, seen, worse)
    is_last = selection.measure == LAST
    n_retired = len(set(seen.last.index) - set(selection.active))
    sizes = {"n_worse": len(worse), "n_retired": n_retired, "n_new": seen.n_new, "n_old": seen.n_old}
    st.caption(words.glance(MEASURES[selection.measure], is_last=is_last, **sizes))
    draw_not_evaluable(
        selection.replay,
        [selection.ranker] if selection.ranker else None,
        first=pd.Timestamp(min(seen.last.columns)).date(),
    )
    _draw_pace(seen)
    _draw_table(selection, seen)
    _offer_summary(selection)


def _offer_summary(selection: Selection) -> None:
    scored = cache.all_scores(selection.replay)
    if (scored["n_relevant"] > 0).any():
        st.download_button(
            "Download a summary to mail, as one HTML file",
            partial(
                summary_html, cache.store(), scored, ranker=selection.ranker, replay=selection.replay
            ),  # made on the click
            file_name="summary.html",
            mime="text/html",
            icon=":material/mail:",
            on_click="ignore",
        )


def _draw_pictures(selection: Selection, seen: Glance, worse: Sequence[str]) -> None:
    measure = MEASURES[selection.measure]
    below = None if selection.measure == LAST else seen.chosen
    edges = limits(seen.chosen.to_numpy(), share=measure.unit.startswith("share"))
    rows = seen.overview.set_index("report")
    colours = service.colours(cache.store())  # the chosen: a line above all of them would say nothing
    with st.container(key="pictures"):
        first = [*worse, *(code for code in rows.index if code in selection.active and code not in worse)]
        for report in [*first, *rows.index.difference(first)]:
            colour = WORSE if report in worse else GREY
            roots = np.sqrt(seen.last.loc[report].to_numpy())  # so that small shares can be told apart
            pictures = [spark(roots, low=0, high=1, colour=colour, newest=NEW)]
            if below is not None:
                values = below.loc[report].to_numpy()
                pictures.append(spark(values, low=edges[0], high=edges[1], colour=colour, newest=NEW))
            now, before = rows.loc[report, "last_now"], rows.loc[report, "last_before"]
            figures = share(now), "" if math.isnan(before) else f"was {share(before)}"
            name = report if report in selection.active else f"{report} (retired)"
            link = partial(
                st.page_link, pages.link("report"), label=plain(name), query_params=_query(selection, report)
            )
            draw_cell(report, link, figures, pictures, colour=colours.get(report, "transparent"))


def _draw_pace(seen: Glance) -> None:
    saved = seen.effort
    if len(saved):
        st.caption(words.paced(saved.loc[saved["is_timed"], "report"].nunique(), saved["report"].nunique()))


def _draw_table(selection: Selection, seen: Glance) -> None:
    measure, now, before = MEASURES[selection.measure], newest(seen.n_new), f"{seen.n_old or 'none'} before"
    number = st.column_config.NumberColumn
    as_text = st.column_config.TextColumn if measure.loss else partial(number, format="%.4f")
    with st.expander("As a table"):
        table = seen.overview
        if seen.known_worse.n_tested:
            table = table.assign(worse=table["report"].isin([one.report for one in seen.worse]))
        shown = table.drop(columns=["before", "now"]) if selection.measure == LAST else table
        shown = shown.drop(columns=[name for name in MAY_BE_BLANK if name in shown and shown[name].isna().all()])
        if measure.loss:
            gaps = [name for name in ("before", "now") if name in shown]
            shown = shown.assign(**{name: shown[name].map(on_screen, na_action="ignore") for name in gaps})
        picked = st.dataframe(
            shown.assign(**{name: 100 * shown[name] for name in ("last_before", "last_now") if name in shown}),
            hide_index=True,
            on_select="rerun",
            selection_mode="single-cell",
            key="all-reports",
            column_config={
                "report": st.column_config.Column("Report", pinned=True),
                "issues": "Issues",
                "last_before": number(f"Last position, {before}, median", format="%.1f %%"),
                "last_now": number(f"Last position, {now}, median", format="%.1f %%"),
                "before": as_text(f"{measure.label}, {before}, median"),
                "now": as_text(f"{measure.label}, {now}, median"),
                "papers": number("Papers saved", format="%.0f", help=SAVED),
                "minutes": number("Minutes saved", format="%.0f", help=SAVED),
                "would_papers": number("Papers it would have saved", format="%.0f", help=WOULD),
                "would_minutes": number("Minutes it would have saved", format="%.0f", help=WOULD),
                "worse": "Got worse",
            },
        )
        st.caption(
            " ".join(filter(None, [words.too_early_to_compare(seen.n_old), "Choose a report to see it in depth."]))
        )
        offer("Download this table as CSV", table, "-".join(filter(None, ["overview", selection.ranker])) + ".csv")
    if cells := picked["selection"]["cells"]:
        row, _ = cells[0]
        st.switch_page(pages.link("report"), query_params=_query(selection, table["report"].iloc[row]))


def _query(selection: Selection, report: str) -> dict[str, str]:
    """Return what the address of a report asks for, to show the same rankings there."""
    query = {"report": report, "measure": selection.measure, "replay": str(selection.replay or 0)}
    return query | {"ranker": selection.ranker} if selection.ranker else query
