"""What an empty page says: what fills it, and a link there."""

from collections.abc import Sequence
from typing import NamedTuple

import streamlit as st

from presort.data import catalogue
from presort.desk import pages
from presort.desk.ui import cache, visitor


class Way(NamedTuple):
    """A link: what it says, the page, what its address asks for, and an icon."""

    label: str
    address: str
    query: dict[str, str]
    icon: str = ":material/arrow_forward:"


TO_IMPORT = Way("Import papers", "import", {}, ":material/upload_file:")
TO_REPORTS = Way("Add a report", "manage", {"part": "reports", "add": "report"}, ":material/add:")
TO_TOPIC = Way("Try a topic", "topic", {}, ":material/travel_explore:")
TO_RANKERS = Way("Choose rankers", "manage", {"part": "rankers"}, ":material/tune:")
TO_COMPARE = Way("Compare", "compare", {}, ":material/balance:")
TO_REVIEW = Way("Review", "review", {})
TO_WEEK = Way("What waits this week", "week", {})


def draw(says: str, *ways: Way) -> None:
    """Draw, in place of what a page would hold, what fills it and the links there."""
    st.info(says)
    if any(visitor.may_open(way.address) for way in ways):
        with st.container(horizontal=True, key=f"ways-to-{'-'.join(way.address for way in ways)}"):
            draw_links(ways)


def draw_links(ways: Sequence[Way]) -> None:
    """Draw the links that who is at the desk may follow."""
    for way in ways:
        if visitor.may_open(way.address):
            st.page_link(pages.link(way.address), label=way.label, icon=way.icon, query_params=way.query or None)


def lacks_reports() -> bool:
    """Draw that there is no report, if so, and return whether."""
    if catalogue.reports(cache.store()):
        return False
    draw("No report yet: the subjects that issues are sorted for.", TO_REPORTS)
    return True


def lacks_lists() -> bool:
    """Draw which of both there is none of yet, issues or reports, if so, and return whether."""
    if catalogue.issues(cache.store()):
        return lacks_reports()
    draw("No papers yet: issues come in as files.", TO_IMPORT)
    return True


def lacks_figures() -> bool:
    """Draw where figures come from, if the service has none yet, and return whether."""
    n_outcomes, *_ = cache.state().scored
    if n_outcomes:
        return False
    draw(
        "No figures yet: how good an order was is known once a report issue has gone out. Whoever runs the server can "
        "also have past issues ranked as if they were new.",
        TO_WEEK,
    )
    return True
