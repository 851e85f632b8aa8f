"""What was done last, on Overview: what came in, what was sorted, what went out, and which mail was lost."""

import streamlit as st

from presort.data import catalogue
from presort.data.editing.log import gone_out
from presort.data.learning.rankings import made_last
from presort.data.mail.mailings import mailings
from presort.data.running import service
from presort.data.running.weekly import newest_steps
from presort.desk.overview import words
from presort.desk.overview.job_words import is_well, job_says
from presort.desk.overview.said import draw_line
from presort.desk.text import plain
from presort.desk.ui import cache
from presort.desk.week.words import went_out


def show() -> None:
    """Draw a line for each, with a link to the whole log."""
    store = cache.store()
    st.header("Done last", anchor=False)
    with st.container(gap="xsmall"):
        if came_in := service.imports(store)[:1]:
            draw_line("came-in", plain(words.came_in(came_in[0])), "All that came in", "manage", {"part": "imports"})
        if (steps := newest_steps(store)) and is_well(steps):
            st.caption(plain(job_says(steps)))
        if made := made_last(store):
            draw_line("sorted-last", plain(words.sorted_last(made)), "What waits", "week", {})
        for out in gone_out(store, [report.code for report in catalogue.reports(store)], 1):
            text = plain(f"Newest gone out: {out.report} {out.issue}, {went_out(out)}")
            draw_line("gone-out", text, "Read it", "review", {"report": out.report, "issue": str(out.issue)})
        lost = len(mailings(store, state="unsure")), len(mailings(store, state="refused"))
        draw_line("mail", words.mail_lost(*lost), "Readers", "manage", {"part": "readers"})
