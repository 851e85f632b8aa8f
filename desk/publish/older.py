"""Older pending issues of a report, listed before a newer one is published."""

from datetime import date

import streamlit as st

from presort.data.editing.pending import pending
from presort.data.records import Pending
from presort.desk import pages
from presort.desk.publish import publishing
from presort.desk.publish.draft import PROBLEM
from presort.desk.text import age, counted
from presort.desk.ui import cache
from presort.desk.week import skipping
from presort.desk.week.skipping import SKIP, SKIP_HELP
from presort.desk.week.urgency import lateness


def show(report: str, issue: date) -> None:
    """List the older pending issues of a report, with controls to continue, publish without papers, or skip each."""
    older = [one for one in pending(cache.store(), [report], today=date.today()) if one.issue < issue]
    if older:
        with st.container(border=True, key="older", gap="xsmall"):
            st.markdown(f"**Older lists to finish: {len(older):,}**")
            for one in older:
                _draw(one)
    skipping.show(PROBLEM, report)


def _draw(one: Pending) -> None:
    name = f"{one.report}-{one.issue}"
    of_issue = (one.report, one.issue)
    with st.container(horizontal=True, vertical_alignment="center", key=f"older-{name}"):
        read = f"{one.n_decided:,} of {counted(one.n_papers, 'paper')} decided"
        late = f":orange-badge[{lateness(one)}]" if lateness(one) else ""
        st.markdown(f"**{one.issue}** · {read} · {age(one.days_old)} {late}", width="stretch")
        query = {"report": one.report, "issue": str(one.issue)}
        st.page_link(pages.link("review"), label="Continue", icon=":material/edit:", query_params=query)
        if st.button("Publish empty", key=f"empty-{name}"):
            publishing.ask_empty(*of_issue)
        st.button(SKIP, key=f"skip-{name}", on_click=skipping.skip_now, args=(*of_issue, PROBLEM), help=SKIP_HELP)
