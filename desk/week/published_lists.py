"""Table of published report issues, newest first. The selected row has links to the list and the log."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from presort.data.editing.log import PublishedIssue, published_issues
from presort.desk import pages
from presort.desk.access import person_name
from presort.desk.text import count_text
from presort.desk.ui import cache, download
from presort.desk.ui.report_choice import ranking_address
from presort.desk.ui.table import height
from presort.desk.week import log

SHOWN_AT_ONCE = 50
MOST_ROWS = 8  # number of visible rows; the table scrolls, so that the page stays short
N_SHOWN = "n-published"  # session key
COLUMNS = {
    "issue": st.column_config.TextColumn("Issue"),
    "report": st.column_config.TextColumn("Report"),
    "n_published": st.column_config.NumberColumn("Papers published", format="localized"),
    "n_papers": st.column_config.NumberColumn("Papers in list", format="localized"),
    "last_place": st.column_config.NumberColumn(
        "Last relevant paper",
        format="localized",
        help="Rank of the last relevant paper. Empty if no paper was relevant, or if the list was not ranked.",
    ),
    "person": st.column_config.TextColumn("By"),
    "published_at": st.column_config.TextColumn("Published on"),
}


def show(names: Mapping[str, str]) -> None:
    """Draw the newest published report issues of some reports. `names` contains the reports' names by code."""
    n_shown = st.session_state.setdefault(N_SHOWN, SHOWN_AT_ONCE)
    rows = published_issues(cache.store(), list(names), n_shown + 1)
    if not rows:
        return
    st.subheader("Published", anchor="published")
    found = table(rows[:n_shown])
    actions = st.container(horizontal=True, vertical_alignment="center", height=48, border=False, key="published-row")
    chosen = st.dataframe(
        found,
        hide_index=True,
        height=height(len(found), MOST_ROWS),
        column_config=COLUMNS,
        on_select="rerun",
        selection_mode="single-row",
        # A new key resets the selection if the rows change, because the selection consists of indices.
        key=f"published-lists-{hash(tuple((row.report, row.issue) for row in rows[:n_shown]))}",
    )
    selected = [rows[index] for index in chosen["selection"]["rows"] if index < len(found)]
    with actions:
        if selected:
            _draw_actions(*selected)
        else:
            st.caption("Select a row to open its list or its log.")
    with st.container(horizontal=True):
        download.offer("Download the table as CSV", found, "published.csv")
        if len(rows) > n_shown and st.button("Show more", key="more-published"):
            st.session_state[N_SHOWN] += SHOWN_AT_ONCE
            st.rerun()


def table(rows: list[PublishedIssue]) -> pd.DataFrame:
    """Return one row per published report issue, in the given order."""
    return pd.DataFrame(
        [
            {
                "issue": str(row.issue),
                "report": row.report,
                "n_published": row.n_published,
                "n_papers": row.n_papers,
                "last_place": row.last_place,
                "person": person_name(row.person),
                "published_at": f"{row.published_at:%Y-%m-%d}",
            }
            for row in rows
        ]
    ).astype({"last_place": "Int64"})


def address(row: PublishedIssue) -> dict[str, str]:
    """Return the query parameters that open a published list in the order that its editor saw."""
    if row.ranking_id is None:
        return {"report": row.report, "issue": str(row.issue)}
    return ranking_address(row.report, row.issue, row.ranking_id)


def _draw_actions(row: PublishedIssue) -> None:
    st.markdown(f"**{row.report} · {row.issue}** · {count_text(row.n_published, 'paper')}", width="content")
    st.page_link(pages.link("review"), label="Open list", icon=":material/checklist:", query_params=address(row))
    if st.button("Log", key="open-log", type="tertiary", icon=":material/history:"):
        log.open_log(row.report, row.issue)
