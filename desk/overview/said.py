"""The sentences of Overview, each a link to where there is more."""

from collections.abc import Sequence
from datetime import date
from typing import Any

import streamlit as st

from presort.data.editing.pending import pending
from presort.data.running import people
from presort.data.running.weekly import newest_steps
from presort.desk import pages
from presort.desk.overview import words
from presort.desk.overview.glance import Asked, sentences
from presort.desk.overview.tables import LAST
from presort.desk.service.weekly_job import is_well, job_says
from presort.desk.text import plain
from presort.desk.ui import cache

STYLE = """
<style>
[class*="st-key-said-"] { width: 100%; max-width: 60rem; font-variant-numeric: tabular-nums; }
[class*="st-key-said-"] a { padding: .1rem 0; }
[class*="st-key-said-"] a * { white-space: normal; overflow-wrap: anywhere; line-height: 1.4; }
.st-key-said-change p { font-size: .875rem; }
.st-key-said-change a { text-decoration: none; }
</style>
"""

# By what a sentence is about: what the link says, the page, and what its address asks for.
LINKS: dict[str, tuple[str, str, dict[str, str]]] = {
    "sorted": ("Change the ranker", "manage", {"part": "rankers"}),
    "last": ("What this measures", "measures", {}),
    "effort": ("Which ranker saves more", "compare", {"each": "true", "at": "how-sure"}),
    "rankers": ("Compare them", "compare", {}),
    "reports": ("Which are hard", "systems-topics", {"score": LAST, "at": "ease"}),
}


def draw_job() -> None:
    """Draw what is wrong with the weekly job, if anything is."""
    if (steps := newest_steps(cache.store())) and not is_well(steps):
        st.warning(plain(job_says(steps)), icon=":material/event_repeat:")


def draw_late(reports: Sequence[str]) -> None:
    """Draw which reports are late; once opened, each of them, whom to ask, and what waits longest."""
    store, today = cache.store(), date.today()
    waiting = pending(store, reports, today=today)
    draw_line("late", plain(words.late(waiting, len(reports))), "All that waits", "week", {"only": "*"})
    late = words.late_ones(waiting)
    if not late:
        return
    known = people.editorships(store)
    with st.expander("Who is late", type="compact"):
        for report in dict.fromkeys(one.report for one in late):
            own = [one for one in late if one.report == report]
            said = plain(words.late_report(own, people.with_start(known, report, own[0].issue, today)))
            draw_line(f"late-{report}", said, "Open", "review", {"report": report, "issue": str(own[0].issue)})


def draw(asked: Asked) -> None:
    """Draw what the summary says of the newest issues."""
    for one in sentences(asked):
        if one.about in LINKS:
            verb, address, query = LINKS[one.about]
            draw_line(one.about, plain(one.text), verb, address, query)
        elif one.about == "change":  # of this very page
            with st.container(key="said-change"):
                st.markdown(f"{plain(one.text)} [:primary[Each report, issue by issue]](#all-reports)")
        else:
            st.caption(plain(one.text))


def draw_line(key: str, text: str, verb: str, address: str, query: dict[str, Any]) -> None:
    """Draw a sentence, in Markdown, as a link; what it leads to stands at its end."""
    with st.container(key=f"said-{key}"):
        st.page_link(pages.link(address), label=f"{text} :primary[{verb}]", query_params=query or None, width="stretch")
