"""The service's log, in three tabs: changes, decisions and imports."""

from collections.abc import Sequence
from datetime import date

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.running import service
from presort.data.running.audit import audit, people_in_log
from presort.data.running.audit_logs import LOGS
from presort.desk import access
from presort.desk.manage.tables import audit_table, import_table
from presort.desk.ui import cache, table

AT_ONCE = 200  # number of rows shown at first, and added by each click on "Show more"
EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)  # range of the date picker
CHANGES, DECISIONS, IMPORTS = "Changes", "Decisions", "Imports"
OF_REVIEW = ("decision", "note", "draft")  # these entries have a separate tab, because each list has many of them
KINDS = {CHANGES: [kind for kind in LOGS if kind not in (*OF_REVIEW, "import")], DECISIONS: list(OF_REVIEW)}
WHEN = {"made_at": "When (UTC)", "person": "Who"}
VALUES = {"before": "Before", "after": "After"}
COLUMNS = {
    CHANGES: WHEN | {"action": "Action", "object": "Object"} | VALUES,
    DECISIONS: WHEN | {"action": "Action", "report": "Report", "issue": "Issue", "subject": "Paper"} | VALUES,
}
IMPORT_COLUMNS = WHEN | {
    "file": "File",
    "listings": "Rows",
    "new_issues": "New issues",
    "new_papers": "New papers",
    "updated_papers": "Updated papers",
    "new_listings": "Added to issues",
    "new_reports": "New reports",
    "new_selections": "New selections",
    "selections_left": "Skipped selections",
    "matched": "Duplicates",
}
NO_IMPORT = "No imports yet."
OF_DEMO = "No imports: the demo generates its papers."


def show() -> None:
    """Draw the open tab. Data for the other tabs aren't read from the database."""
    tabs = st.tabs([CHANGES, DECISIONS, IMPORTS], key="log-tab", on_change="rerun")
    for name, tab in zip([CHANGES, DECISIONS, IMPORTS], tabs, strict=True):
        if tab.open:
            with tab:
                draw_imports("log-imports") if name == IMPORTS else _draw_log(name)


def draw_imports(name: str) -> None:
    """Draw the table of imported files, newest first."""
    every = import_table(cache.store())
    if every.empty:
        st.info(OF_DEMO if service.is_demo(cache.store()) else NO_IMPORT)
        return
    table.draw(table.search(every, name), IMPORT_COLUMNS, name)


def _draw_log(name: str) -> None:
    """Draw a tab's filters and the matching log entries, newest first."""
    store = cache.store()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        text = st.text_input("Search", key=f"log-words-{name}", icon=":material/search:", width=200)
        who = st.selectbox("Who", people_in_log(store), None, access.person_name, placeholder="all", key=f"who-{name}")
        kind = st.selectbox("Kind", KINDS[name], None, placeholder="all", key=f"log-kind-{name}")
        codes = [one.code for one in catalogue.reports(store, retired=True)]
        report = st.selectbox("Report", codes, None, placeholder="all", key=f"log-report-{name}")
        since = st.date_input("Since", None, EARLIEST, LATEST, format="YYYY-MM-DD", key=f"log-since-{name}")
    n_shown = st.session_state.setdefault(f"n-{name}", AT_ONCE)
    found = audit(
        store,
        n_shown + 1,
        kinds=[kind] if kind else KINDS[name],
        person=who or "",
        report=report or "",
        since=since or EARLIEST,
        words=text,
    )
    if not found:
        st.info("No entries.")
        return
    table.draw(with_object(audit_table(found[:n_shown])), COLUMNS[name], f"log-{name.lower()}")
    if len(found) > n_shown and st.button("Show more", key=f"more-{name}"):
        st.session_state[f"n-{name}"] += AT_ONCE
        st.rerun()


def with_object(entries: pd.DataFrame) -> pd.DataFrame:
    """Add a column that identifies what was changed: the report, the issue, and the person, paper, term or file."""
    parts: Sequence[str] = ("report", "issue", "subject")
    joined = [" · ".join(filter(None, row)) for row in entries[[*parts]].itertuples(index=False)]
    return entries.assign(object=joined)
