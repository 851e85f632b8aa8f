"""Imports: what came in, and what it changed."""

import streamlit as st

from desk import cache, manage
from desk.managing import tables
from desk.words import manage as words
from desk.words.text import plain


def show() -> None:
    """Draw the log of imports."""
    log = manage.import_table(cache.store())
    if log.empty:
        st.info(plain(words.NO_IMPORT))
    else:
        tables.draw(log, words.IMPORT_COLUMNS, "imports")
