"""Take a report issue back to review."""

import streamlit as st

from data.errors import DataError
from data.reopening import MAX_REASON, reopen
from desk import access, cache
from desk.boxes.choosing import Chosen
from desk.words import finish as words
from desk.words.text import plain


def show(chosen: Chosen) -> None:
    """Ask why, and reopen a report issue that has gone out."""
    with st.expander(words.REOPEN, icon=":material/lock_open:", key="reopen"):
        st.markdown(words.REOPEN_HINT)
        with st.form(f"reopen-{chosen.report}-{chosen.issue}", border=False):
            reason = st.text_input(words.REASON, max_chars=MAX_REASON, key=f"reason-{chosen.report}-{chosen.issue}")
            is_asked = st.form_submit_button(words.REOPEN_IT)
        if is_asked:
            try:
                reopen(cache.store(), chosen.report, chosen.issue, reason, person=access.current_person())
            except DataError as error:
                st.error(plain(str(error)))
            else:
                st.rerun()
