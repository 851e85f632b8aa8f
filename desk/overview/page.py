"""Overview: what a director should know first, in sentences; then all reports at once, and what was done last."""

import streamlit as st

from presort.data import catalogue
from presort.data.editing.log import published_issues
from presort.data.learning.rankings import made_last
from presort.data.mail.mailings import mailings
from presort.data.running import service
from presort.data.running.weekly import newest_steps
from presort.desk.overview import reports, stop_audit, verdicts, words
from presort.desk.overview.glance import Selection, glance
from presort.desk.overview.verdicts import draw_line
from presort.desk.service.weekly_job import is_well, job_says
from presort.desk.text import plain
from presort.desk.ui import cache, empty, reranking, sparks, visitor
from presort.desk.ui.score_choice import (
    draw_measure_problems,
    draw_not_evaluable,
    measure_choice,
    sorter_choice,
    source_choice,
)
from presort.desk.week import first_steps
from presort.desk.week.words import went_out


@visitor.one_snapshot()
def show() -> None:
    """Draw all reports at a glance."""
    st.title("Overview", anchor=False)
    reranking.show(redraws=True)
    if first_steps.show():
        return
    codes = tuple(report.code for report in catalogue.reports(cache.store()))
    st.html(sparks.STYLE + verdicts.STYLE)
    first = st.container(gap="xsmall")  # drawn last: it speaks of the rankings that are chosen below
    if selection := _ask(codes):
        seen = glance(selection)
        reports.show(selection, seen)
        stop_audit.show(selection)
    with first:
        verdicts.draw_job()
        verdicts.draw_late(codes)
        if selection:
            verdicts.draw_alarms(selection, seen)
            verdicts.draw_summary(selection)
            verdicts.explain_alarms()
    draw_measure_problems()
    _show_done_last()


def _ask(codes: tuple[str, ...]) -> Selection | None:
    """Draw the boxes that say what is looked at; None where there is nothing to look at yet."""
    st.header("All reports", anchor="all-reports")
    left, middle, right = st.columns(3)
    measure = measure_choice(left, "relative_last_position")
    replay = source_choice(middle)
    scores = cache.all_scores(replay)
    if scores.empty:
        if not empty.lacks_figures():
            st.info("There are no figures of these rankings; choose others.")
        draw_not_evaluable(replay)
        return None
    help = "Whose rankings the sentences, the alarms, the small pictures and the effort saved are about."
    return Selection(replay, sorter_choice(right, scores, help=help), codes, measure)


def _show_done_last() -> None:
    """Draw the last import, job, ranking and publication, and lost mail, each with a link to the log."""
    store = cache.store()
    st.header("Done last", anchor=False)
    with st.container(gap="xsmall"):
        if came_in := service.imports(store)[:1]:
            draw_line("came-in", plain(words.came_in(came_in[0])), "All that came in", "manage", {"part": "imports"})
        if (steps := newest_steps(store)) and is_well(steps):
            st.caption(plain(job_says(steps)))
        if made := made_last(store):
            draw_line("sorted-last", plain(words.sorted_last(made)), "What waits", "week", {})
        for out in published_issues(store, [report.code for report in catalogue.reports(store)], 1):
            text = plain(f"Newest gone out: {out.report} {out.issue}, {went_out(out)}")
            draw_line("gone-out", text, "Read it", "review", {"report": out.report, "issue": str(out.issue)})
        lost = len(mailings(store, state="unsure")), len(mailings(store, state="refused"))
        draw_line("mail", words.mail_lost(*lost), "Readers", "manage", {"part": "readers"})
