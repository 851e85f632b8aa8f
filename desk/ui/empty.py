"""Messages on empty pages, with links to the pages where content can be added."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from presort.data import catalogue
from presort.desk import pages
from presort.desk.ui import cache, visitor


class Way(NamedTuple):
    """Link to a page, with its label, query parameters and icon."""

    label: str
    address: str
    query: dict[str, str]
    icon: str = ":material/arrow_forward:"


TO_IMPORT = Way("Import papers", "import", {}, ":material/upload_file:")
TO_REPORTS = Way("Add a report", "manage", {"part": "reports", "add": "report"}, ":material/add:")
TO_TOPIC = Way("Try a topic", "topic", {}, ":material/travel_explore:")
TO_RANKERS = Way("Choose rankers", "manage", {"part": "rankers"}, ":material/tune:")
TO_COMPARE = Way("Compare", "compare", {}, ":material/balance:")
TO_WEEK = Way("Pending lists", "week", {})


def draw(says: str, *ways: Way) -> None:
    """Draw a message on an empty page, with links to the pages where content can be added."""
    st.info(says)
    if any(visitor.may_open(way.address) for way in ways):
        with st.container(horizontal=True, key=f"ways-to-{'-'.join(way.address for way in ways)}"):
            draw_links(ways)


def draw_links(ways: Sequence[Way]) -> None:
    """Draw the links whose pages the user may open."""
    for way in ways:
        if visitor.may_open(way.address):
            st.page_link(pages.link(way.address), label=way.label, icon=way.icon, query_params=way.query or None)


def lacks_reports() -> bool:
    """Draw a message if there are no reports. Returns True if the message was drawn."""
    if catalogue.reports(cache.store()):
        return False
    draw("No reports yet. Add a report for each subject.", TO_REPORTS)
    return True


def lacks_lists() -> bool:
    """Draw a message if there are no issues or no reports. Returns True if the message was drawn."""
    if catalogue.issues(cache.store()):
        return lacks_reports()
    draw("No papers yet. Import an issue.", TO_IMPORT)
    return True


def lacks_figures() -> bool:
    """Draw a message if there are no figures yet. Returns True if the message was drawn."""
    n_outcomes, *_ = cache.state().scored
    if n_outcomes:
        return False
    draw(
        "No figures yet. They are computed when a report issue is published. The administrator can also replay past "
        "issues.",
        TO_WEEK,
    )
    return True
