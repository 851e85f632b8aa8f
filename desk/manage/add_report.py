"""Dialog to add a report: code, name, description, editor and first issue."""

from collections.abc import Sequence
from datetime import date, timedelta
from functools import partial

import streamlit as st

from presort.data import catalogue
from presort.data.editing.criteria import MAX_CRITERIA
from presort.data.editing.new_reports import NewReport, add_report
from presort.data.records import CODE_RULE
from presort.data.running import people
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk import pages
from presort.desk.manage.reports import ABOUT, draw_past
from presort.desk.text import escape
from presort.desk.ui import cache, confirm, empty, reranking, visitor, window

ADD = "add"  # URL parameter that opens the dialog
ADDED = "report-added"  # session key: code of the newly added report
RETURNING = "report-returning"  # session key: code of a retired report, while the user is asked whether to restore it
TITLE = "Add report"
N_ISSUES = 12  # number of newest issues from which the first issue can be chosen
ABOUT_HELP = (
    "Which papers belong to this report: a few sentences, or a typical title and abstract. Editors see the criteria in "
    "the ⋯ menu of their list. They are also the ranker's first training example."
)


def draw_button() -> None:
    """Draw the button that opens the dialog. The URL parameter `ADD` opens it without a click."""
    if st.button(TITLE, key="open-add-report", type="primary", icon=":material/add:") or ADD in st.query_params:
        st.query_params.pop(ADD, None)
        st.session_state.pop(RETURNING, None)
        window.keep_open(TITLE, _draw)


def draw_next_step() -> None:
    """Draw a link to the list of the newly added report, or to Import if there are no issues yet."""
    code = st.session_state.get(ADDED)
    if code is None:
        return
    reranking.show()
    if catalogue.issues(cache.store()):
        label, query = escape(f"Open the first list of {code}"), {"report": code}
        st.page_link(pages.link("review"), label=label, icon=":material/arrow_forward:", query_params=query)
    else:
        empty.draw_links([empty.TO_IMPORT])


def _draw() -> None:
    store = cache.store()
    with st.form("new-report", border=False):  # in a form, the click also submits the field being edited
        left, right = st.columns([1, 3])
        code = left.text_input(
            "Code", key="new-code", help=f"The code can't be changed later. Use {CODE_RULE}.", max_chars=64
        )
        name = right.text_input("Name", key="new-name", max_chars=200, placeholder="Defaults to the code")
        about = st.text_area(ABOUT, key="new-about", height=110, max_chars=MAX_CRITERIA, help=ABOUT_HELP)
        left, right = st.columns(2)
        editor = left.selectbox(
            "Editor",
            list(people.affiliations(store)),
            None,
            key="new-report-editor",
            accept_new_options=True,
            placeholder="Choose, or type a new name",
        )
        mail = right.text_input("Email", key="new-mail", help="Address for weekly notices of pending issues.")
        first = _ask_for_first_issue(store)
        is_added = st.form_submit_button("Add", key="add-report", type="primary")
    new = NewReport(clean(code), name, about, editor or "", mail.strip(), first)
    if is_added and _is_retired(store, new.code):
        st.session_state[RETURNING] = new.code
    elif is_added:
        _add(new)
    if new.code and st.session_state.get(RETURNING) == new.code:
        _ask_whether_it_returns(new)
    empty.draw_links([empty.TO_TOPIC])


def _ask_for_first_issue(store: Store) -> date | None:
    days = [issue.date for issue in catalogue.issues(store)][: -N_ISSUES - 1 : -1]
    if not days:
        return None
    following = days[0] + timedelta(days=1)
    named = {days[0]: f"{days[0]} (newest)", following: "The next imported issue"}
    return st.selectbox(
        "First issue",
        [*days, following],
        format_func=lambda day: named.get(day, str(day)),
        key="new-first-issue",
        help="This issue and all later ones will be pending. Issues imported before the report is added never become "
        "late.",
    )


def _is_retired(store: Store, code: str) -> bool:
    return any(one.code == code and one.is_retired for one in catalogue.reports(store, retired=True))


def _ask_whether_it_returns(new: NewReport) -> None:
    with st.container(border=True):
        draw_past(new.code)
        with st.container(horizontal=True):
            is_back = st.button("Restore report", key="bring-back", type="primary")
            st.button("Cancel", key="leave-it", on_click=st.session_state.pop, args=(RETURNING, None))
    if is_back:
        _add(new, [new.code])


def _add(new: NewReport, returning: Sequence[str] = ()) -> None:
    confirm.make_in_window(f"{new.code} added", partial(_save, new, returning))


def _save(new: NewReport, returning: Sequence[str]) -> None:
    """Add the report and queue the ranking of its pending issues."""
    report = add_report(cache.store(), new, person=visitor.person(), returning=returning)
    st.session_state.pop(RETURNING, None)
    st.session_state[ADDED] = st.query_params["report"] = report.code  # selects the report on the page
    if new.about or returning:  # otherwise there would be no examples to train on
        reranking.rank_report(report.code)
