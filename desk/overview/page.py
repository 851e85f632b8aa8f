"""Overview: what a director should know first, in sentences; then all reports at once, and what was done last."""

import streamlit as st

from presort.data import catalogue
from presort.desk.overview import alarms, done_last, promises, reports, said
from presort.desk.overview.glance import Asked, glance
from presort.desk.ui import cache, cell, empty, measure_problems, not_judged, visitor
from presort.desk.ui.score_choice import measure_choice, sorter_choice, source_choice
from presort.desk.week import again, first_steps


@visitor.one_snapshot()
def show() -> None:
    """Draw all reports at a glance."""
    st.title("Overview", anchor=False)
    again.show(redraws=True)
    if first_steps.show():
        return
    codes = tuple(report.code for report in catalogue.reports(cache.store()))
    st.html(cell.STYLE + said.STYLE)
    first = st.container(gap="xsmall")  # drawn last: it speaks of the rankings that are chosen below
    if asked := _ask(codes):
        seen = glance(asked)
        reports.show(asked, seen)
        promises.show(asked)
    with first:
        said.draw_job()
        said.draw_late(codes)
        if asked:
            alarms.show(asked, seen)
            said.draw(asked)
            alarms.explain()
    measure_problems.show()
    done_last.show()


def _ask(codes: tuple[str, ...]) -> Asked | None:
    """Draw the boxes that say what is looked at; None where there is nothing to look at yet."""
    st.header("All reports", anchor="all-reports")
    left, middle, right = st.columns(3)
    measure = measure_choice(left, "relative_last_position")
    replay = source_choice(middle)
    scores = cache.all_scores(replay)
    if scores.empty:
        if not empty.lacks_figures():
            st.info("There are no figures of these rankings; choose others.")
        not_judged.show(replay)
        return None
    help = "Whose rankings the sentences, the alarms, the small pictures and the effort saved are about."
    return Asked(replay, sorter_choice(right, scores, help=help), codes, measure)
