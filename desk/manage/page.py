"""Manage: what a director sets up and changes: reports, editors, readers, holidays, rankers; and what came in."""

from datetime import date
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.learning.vectors import count_vectors, sentence_model
from presort.data.running import service
from presort.data.running.audit import LOGS, audit, people_in_log
from presort.desk import access
from presort.desk.manage import duplicates, editors, holidays, members, readers, reports, words
from presort.desk.manage.tables import audit_table, import_table, ranker_table
from presort.desk.service import rankers
from presort.desk.service.vectors import offered
from presort.desk.text import plain
from presort.desk.ui import cache, confirm, empty, table, visitor
from presort.desk.ui.confirm import ask
from presort.desk.ui.reranking import prepare_rankers

PART = "part"  # as it stands in the address
LOG_AT_ONCE = 200  # rows
LOG_COLUMNS = {
    "made_at": "When (UTC)",
    "person": "Who",
    "place": "From",
    "what": "What",
    "report": "Report",
    "issue": "Issue",
    "title": "Paper",
}
EARLIEST, LATEST = date(1970, 1, 1), date(2200, 1, 1)  # that can be chosen


def show() -> None:
    """Draw one part of the page; every change is said in words before it is made."""
    with st.container(horizontal=True, vertical_alignment="center", key="manage-ways"):
        st.title("Manage", anchor=False, width="content")
        empty.draw_links([empty.TO_IMPORT, empty.TO_TOPIC])
    part = _chosen_part()
    confirm.say()
    PARTS[part]()


def _chosen_part() -> str:
    asked = st.query_params.get(PART, "").capitalize()
    st.session_state.setdefault(PART, asked if asked in PARTS else words.REPORTS)
    st.segmented_control("What to manage", list(PARTS), required=True, key=PART, label_visibility="collapsed")
    part: str = st.session_state[PART]
    st.query_params[PART] = part.lower()
    return part


def _draw_imports() -> None:
    """Draw the possible duplicates, and the log of imports."""
    duplicates.show()
    log = import_table(cache.store())
    if log.empty and service.is_demo(cache.store()):
        st.info(words.OF_DEMO)
    elif log.empty:
        st.info(plain(words.NO_IMPORT))
    else:
        table.draw(
            log,
            {
                "made_at": "When (UTC)",
                "person": "Who",
                "file": "File",
                "listings": "Rows",
                "new_issues": "New issues",
                "new_papers": "New papers",
                "updated_papers": "Changed papers",
                "new_listings": "New in issues",
                "new_reports": "New reports",
                "new_selections": "New selections",
                "selections_left": "Left to editors",
                "matched": "Seen before",
            },
            "imports",
        )


def _draw_log() -> None:
    """Draw what to look for, and what was changed, newest first."""
    store = cache.store()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        who = st.selectbox("Who", people_in_log(store), None, access.person_name, placeholder="anybody", key="log-who")
        kind = st.selectbox("What", list(LOGS), None, placeholder="all", key="log-kind")
        codes = [one.code for one in catalogue.reports(store, retired=True)]
        report = st.selectbox("Report", codes, None, placeholder="all", key="log-report")
        since = st.date_input("Since", None, EARLIEST, LATEST, format="YYYY-MM-DD", key="log-since")
        text = st.text_input("With the words", key="log-words", placeholder="of a change, a title, a report's code")
    n_shown = st.session_state.setdefault("n-log", LOG_AT_ONCE)
    found = audit(
        store,
        n_shown + 1,
        kinds=[kind] if kind else [],
        person=who or "",
        report=report or "",
        since=since or EARLIEST,
        words=text,
    )
    if not found:
        st.info("Nothing in the log is like that.")
        return
    table.draw(audit_table(found[:n_shown]), LOG_COLUMNS, "log")
    if len(found) > n_shown and st.button("Show more", key="more-log"):
        st.session_state["n-log"] += LOG_AT_ONCE
        st.rerun()


def _draw_rankers() -> None:
    """Draw the rankers in use, what they can be changed to, and what was chosen before."""
    store = cache.store()
    active, shadows_now = rankers.active(store), service.shadows(store)
    n_reports = len(catalogue.reports(store))
    st.markdown(f"**{plain(words.rankers_in_use(active, shadows_now, n_reports))}**")
    if known := service.ranker_choices(store):
        st.caption(plain(words.chosen_by_whom(known[-1])))
    left, right = st.columns(2)
    names = list(dict.fromkeys([*offered(store), active, *shadows_now]))  # also one that only a newer Presort knows
    chosen = left.selectbox("Sorts for the editors", names, names.index(active), key="active-ranker")
    shadows = right.multiselect("Run beside it, and are only watched", names, shadows_now, key="shadow-rankers")
    shadows = [name for name in shadows if name != chosen]
    if st.button(
        "Use from the next issue on",
        key="use-rankers",
        type="primary",
        disabled=(chosen, shadows) == (active, list(shadows_now)),
    ):
        choose = partial(service.set_rankers, store, chosen, shadows, person=visitor.person())
        says = words.new_rankers(chosen, shadows, n_reports, service.newest_sorted(store))
        ask(says, partial(prepare_rankers, choose))
    st.markdown(":small[Compare shows how they do against each other.]")
    model = sentence_model(store)
    st.caption(plain(words.vectors_say(model.name if model else "", *count_vectors(store))))
    log = ranker_table(store).iloc[1:]  # the first stands above
    if len(log):
        st.header("What was chosen before", anchor=False)
        table.draw(
            log,
            {
                "made_at": "When (UTC)",
                "person": "Who",
                "active": "Sorts",
                "shadows": "Run beside it",
                "after": "For issues after",
            },
            "rankers",
        )


PARTS = {
    words.REPORTS: reports.show,
    "Editors": editors.show,
    "People": members.show,
    "Readers": readers.show,
    "Holidays": holidays.show,
    "Rankers": _draw_rankers,
    words.IMPORTS: _draw_imports,
    "Log": _draw_log,
}
