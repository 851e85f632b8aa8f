"""The log of a report issue: who decided what, when, newest first; to search, to look at one paper, to take away."""

from datetime import date

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing.log import decisions_since, history_of
from presort.data.editing.publications import publication_log
from presort.data.editing.skipping import skippings
from presort.desk.text import DECIDED, moment, plain
from presort.desk.ui import cache
from presort.desk.ui.download import offer
from presort.desk.week import words

MOST_SEEN = 400  # pixels
WIDTHS = {"made_at": 130, "person": 90, "decision_text": 140, "title": 600}  # pixels


def open_log(report: str, issue: date) -> None:
    """Show the log in a window over the page."""
    st.dialog(plain(f"Log of {report} {issue}"), width="large")(show)(report, issue)


def show(report: str, issue: date) -> None:
    """Draw the log."""
    with st.container(gap="xxsmall"):
        for publication in publication_log(cache.store(), report, issue):
            for line in words.published(publication):
                st.caption(plain(line))
        for skipping in skippings(cache.store(), report, issue):
            st.caption(plain(words.skipped(skipping)))
    table = log_table(report, issue)
    if table.empty:
        st.info("Nothing was decided on this issue.")
        return
    query = st.text_input("Words of the title", key=f"find-in-log-{report}-{issue}", max_chars=200)
    found = table[[has_words(title, query) for title in table["title"]]]
    if found.empty:
        st.caption("No title in this log has all of these words.")
        return
    st.caption(f"{words.entries(len(found), len(table))}. Choose a line to see all that was decided on its paper.")
    _draw_history(found, f"log-of-{report}-{issue}-{query}")
    offer("Download the log as CSV", found.drop(columns="decision_text"), f"log-{report}-{issue}.csv")


def log_table(report: str, issue: date) -> pd.DataFrame:
    """Return the log, newest first, a row a decision."""
    titles = {paper.paper_id: paper.title for paper in catalogue.papers(cache.store(), issue)}
    rows = [
        {
            "report": report,
            "issue": issue.isoformat(),
            "made_at": moment(entry.made_at),
            "person": words.by(entry.person, entry.source),
            "about": entry.about,
            "decision": entry.label,
            "decision_text": DECIDED[entry.about, entry.label],
            "paper_id": entry.paper_id,
            "title": titles[entry.paper_id],
        }
        for entry in reversed(decisions_since(cache.store(), report, issue, 0))
    ]
    return pd.DataFrame(rows)


def has_words(title: str, query: str) -> bool:
    """Return whether a title has all words of a query, in any order; part of a word will do.

    Examples
    --------
    >>> has_words("Minimum Wages and jobs", "job min"), has_words("Minimum wages", "job")
    (True, False)
    """
    return all(word in title.casefold() for word in query.casefold().split())


def _draw_history(found: pd.DataFrame, key: str) -> None:
    """Draw a table of decisions, and all that was decided on the paper of the line that is chosen."""
    chosen = st.dataframe(
        found,
        hide_index=True,
        height=MOST_SEEN if len(found) > 10 else "content",
        column_order=list(words.COLUMNS),
        column_config={
            name: st.column_config.TextColumn(label, width=WIDTHS[name]) for name, label in words.COLUMNS.items()
        },
        on_select="rerun",
        selection_mode="single-row",
        key=key,
    )
    if rows := chosen["selection"]["rows"]:
        first = found.iloc[rows[0]]
        with st.container(border=True, gap="xsmall", key="history-of-one"):
            st.text(first["title"])
            for entry in history_of(
                cache.store(), first["report"], date.fromisoformat(first["issue"]), first["paper_id"]
            ):
                by = words.by(entry.person, entry.source)
                st.text(f"{moment(entry.made_at)} · {by}: {DECIDED[entry.about, entry.label]}")
