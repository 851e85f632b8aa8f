"""Imports: possible duplicates to decide on, what came in, and what it changed."""

import streamlit as st

from presort.data.running import service
from presort.desk.manage import duplicates, words
from presort.desk.manage.tables import import_table
from presort.desk.text import plain
from presort.desk.ui import cache, table


def show() -> None:
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
