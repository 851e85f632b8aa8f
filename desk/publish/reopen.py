"""Reopen a published report issue for review."""

import streamlit as st

from presort.data.editing.publications import MAX_REASON, reopen
from presort.data.errors import DataError
from presort.desk.text import escape
from presort.desk.ui import cache, visitor
from presort.desk.ui.report_choice import ReportChoice


def show(chosen: ReportChoice) -> None:
    """Draw the form for reopening a published report issue, with a field for the reason."""
    with st.expander("Reopen for review", icon=":material/lock_open:", key="reopen"):
        st.caption(
            "You can change decisions, order and notes again. The log stores the published version and your reason."
        )
        with st.form(f"reopen-{chosen.report}-{chosen.issue}", border=False):
            key = f"reason-{chosen.report}-{chosen.issue}"
            reason = st.text_input("Reason (required)", max_chars=MAX_REASON, key=key)
            is_asked = st.form_submit_button("Reopen")
        problem_key = f"not-reopened-{chosen.report}-{chosen.issue}"
        if is_asked:
            try:
                reopen(cache.store(), chosen.report, chosen.issue, reason, person=visitor.person())
            except DataError as error:
                st.session_state[problem_key] = str(error)  # stored because background ranking may redraw the page
            else:
                st.session_state.pop(problem_key, None)
                st.rerun()
        if problem_key in st.session_state:
            st.error(escape(st.session_state[problem_key]))
