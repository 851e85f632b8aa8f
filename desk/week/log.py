"""Log of a report issue: its decisions, newest first, with a search field, each paper's history, and a download."""

from datetime import date

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing.log import decisions_since, history_of
from presort.data.editing.publications import publication_log
from presort.data.editing.skipping import skippings
from presort.data.records import Publication, Skipping, Source
from presort.desk.access import person_name
from presort.desk.text import DECIDED, count_text, escape, time_text
from presort.desk.ui import cache, visitor
from presort.desk.ui.download import offer

MOST_SEEN = 400  # maximum height of the table, in pixels
COLUMNS = {"made_at": "When (UTC)", "person": "Who", "decision_text": "Decision", "title": "Title"}
WIDTHS = {"made_at": 130, "person": 90, "decision_text": 140, "title": 600}  # pixels


def open_log(report: str, issue: date) -> None:
    """Open a report issue's log in a dialog."""
    st.dialog(escape(f"Log of {report} {issue}"), width="large")(show)(report, issue)


@visitor.one_snapshot()
def show(report: str, issue: date) -> None:
    """Draw a report issue's log."""
    with st.container(gap="xxsmall"):
        for publication in publication_log(cache.store(), report, issue):
            for line in publication_entries(publication):
                st.caption(escape(line))
        for skipping in skippings(cache.store(), report, issue):
            st.caption(escape(skip_entry(skipping)))
    table = log_table(report, issue)
    if table.empty:
        st.info("No decisions on this issue.")
        return
    query = st.text_input("Search titles", key=f"find-in-log-{report}-{issue}", max_chars=200)
    found = table[[has_words(title, query) for title in table["title"]]]
    if found.empty:
        st.caption("No title contains all of these words.")
        return
    n_found = f"{len(found):,} of " if len(found) < len(table) else ""
    st.caption(f"{n_found}{count_text(len(table), 'decision')}. Select a row to see all decisions on its paper.")
    # A new key resets the selection after a new decision, because the selection consists of indices.
    _draw_history(found, f"log-of-{report}-{issue}-{query}-{len(found)}")
    offer("Download the log as CSV", found.drop(columns="decision_text"), f"log-{report}-{issue}.csv")


def log_table(report: str, issue: date) -> pd.DataFrame:
    """Return the log with one row per decision, newest first."""
    titles = {paper.paper_id: paper.title for paper in catalogue.papers(cache.store(), issue)}
    rows = [
        {
            "report": report,
            "issue": issue.isoformat(),
            "made_at": time_text(entry.made_at),
            "person": editor_name(entry.person, entry.source),
            "about": entry.about,
            "decision": entry.label,
            "decision_text": DECIDED[entry.about, entry.label],
            "paper_id": entry.paper_id,
            "title": titles[entry.paper_id],
        }
        for entry in reversed(decisions_since(cache.store(), report, issue, 0))
    ]
    return pd.DataFrame(rows)


def editor_name(person: str, source: Source) -> str:
    """Return the name of the editor who made or imported a decision.

    Examples
    --------
    >>> editor_name("Ann", "desk"), editor_name("Ann", "file"), editor_name("editor", "desk")
    ('Ann', 'Ann, from a file', 'this desk')
    """
    return f"{person_name(person)}, from a file" if source == "file" else person_name(person)


def publication_entries(publication: Publication) -> list[str]:
    """Return the log entries for a publication: one for publishing and, if it was reopened, one for reopening."""
    published_issue = publication.report_issue
    entries = [
        f"{time_text(publication.made_at)} · {editor_name(published_issue.person, published_issue.source)}: published"
    ]
    if reopened := publication.reopened:
        entries.append(f"{time_text(reopened.made_at)} · {person_name(reopened.person)}: reopened: {reopened.reason}")
    return entries


def skip_entry(skipping: Skipping) -> str:
    """Return the log entry for skipping an issue, or for undoing a skip.

    Examples
    --------
    >>> from datetime import datetime
    >>> skip_entry(Skipping("Ann", datetime(2026, 11, 16, 9, 5), is_taken_back=False))
    '2026-11-16 09:05 · Ann: skipped'
    """
    done = "no longer skipped" if skipping.is_taken_back else "skipped"
    return f"{time_text(skipping.made_at)} · {person_name(skipping.person)}: {done}"


def has_words(title: str, query: str) -> bool:
    """Return True if a title contains all words in a query, in any order. Parts of words also match.

    Examples
    --------
    >>> has_words("Minimum Wages and jobs", "job min"), has_words("Minimum wages", "job")
    (True, False)
    """
    return all(word in title.casefold() for word in query.casefold().split())


def _draw_history(found: pd.DataFrame, key: str) -> None:
    """Draw a table of decisions, and the history of the selected row's paper."""
    chosen = st.dataframe(
        found,
        hide_index=True,
        height=MOST_SEEN if len(found) > 10 else "content",
        column_order=list(COLUMNS),
        column_config={name: st.column_config.TextColumn(label, width=WIDTHS[name]) for name, label in COLUMNS.items()},
        on_select="rerun",
        selection_mode="single-row",
        key=key,
    )
    if rows := chosen["selection"]["rows"]:
        first = found.iloc[rows[0]]
        with st.container(border=True, gap="xsmall", key="history-of-one"):
            st.text(first["title"])
            issue = date.fromisoformat(first["issue"])
            for entry in history_of(cache.store(), first["report"], issue, first["paper_id"]):
                decision = DECIDED[entry.about, entry.label]
                st.text(f"{time_text(entry.made_at)} · {editor_name(entry.person, entry.source)}: {decision}")
