"""My report: how good its orders were, issue by issue, what it wants, and who reads it."""

from datetime import date

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.mail import readers
from presort.data.running import people
from presort.desk import pages
from presort.desk.manage.reader_words import READER_COLUMNS
from presort.desk.manage.readers import reader_table
from presort.desk.report import scores as report_scores
from presort.desk.report import words
from presort.desk.review import criteria
from presort.desk.scores.alarms import windows
from presort.desk.scores.sorters import rows_of
from presort.desk.text import counted, plain
from presort.desk.ui import cache, empty, frame, sparks, table, visitor
from presort.desk.ui.choice import report_choice
from presort.desk.ui.score_choice import (
    draw_measure_problems,
    draw_not_evaluable,
    measure_choice,
    sorter_choice,
    source_choice,
)


@visitor.one_snapshot()
def show() -> None:
    """Draw one report."""
    st.title("My report" if frame.role() == "editor" else "Report", anchor=False)
    if empty.lacks_reports():
        return
    store = cache.store()
    with st.container(horizontal=True, vertical_alignment="bottom"):
        reports = sorted(catalogue.reports(store, retired=True), key=lambda report: report.is_retired)
        report = report_choice(st.container(width=320), reports)
        editors = people.editors_on(people.editorships(store), report, date.today())
        if visitor.may_open("manage"):
            st.page_link(
                pages.link("manage"),
                label=plain(words.edited_by(editors)),
                icon=":material/group:",
                query_params={"part": "editors", "report": report},
            )
        else:
            st.caption(plain(words.edited_by(editors)))
    _draw_scores(report)
    criteria.show(report)
    if visitor.may_edit(report):
        _draw_readers(report)


def _draw_scores(report: str) -> None:
    above = st.container()  # of what is chosen below
    with st.expander("All measures", icon=":material/query_stats:", key="how-sure"):
        left, middle, right = st.columns(3)
        measure = measure_choice(left, words.FIRST_MEASURE)
        replay = source_choice(middle)
        scored = cache.all_scores(replay)
        mine = scored[scored["report"] == report]
        if mine.empty:
            with above:
                _draw_none(report, replay)
            return
        ranker = sorter_choice(right, mine)
        sorted_so = rows_of(cache.store(), scored, ranker)
        own = sorted_so[sorted_so["report"] == report]
        st.html(sparks.STYLE)
        compared = cache.for_comparison(replay)
        report_scores.show_others(measure, own, compared[compared["report"] == report])
    with above:
        st.markdown(_headline(sorted_so, report))
        st.header("Issue by issue", anchor=sparks.ANCHOR)
        report_scores.show(report, measure, own, mine)
        draw_not_evaluable(replay, reports=[report])
        draw_measure_problems()
        if audit_text := words.audit_text(cache.stop_audits(replay, ranker), report):
            st.caption(audit_text)
    sparks.scroll()


def _draw_none(report: str, replay: int | None) -> None:
    if not empty.lacks_figures():
        st.info(
            "No figures of this report yet: they come once an issue has gone out. Or choose other rankings under "
            "*All measures.*"
        )
    draw_not_evaluable(replay, reports=[report])


def _headline(sorted_so: pd.DataFrame, report: str) -> str:
    """Hold the newest issues against those before: issues of the service, as on Overview, so that figures agree."""
    new, old = windows(sorted_so)
    mine = sorted_so[sorted_so["report"] == report].dropna(subset="relative_last_position")
    now, before = (mine.loc[mine["issue"].isin(days), "relative_last_position"] for days in (new, old))
    return words.headline(now.median(), len(now), before.median(), len(before), len(new))


def _draw_readers(report: str) -> None:
    reading = readers.readers(cache.store(), report)
    st.header(counted(len(reading), "reader") if reading else "No readers yet", anchor=False)
    if reading:
        with st.expander("Who they are"):
            table.draw(reader_table(reading), READER_COLUMNS, f"readers-{report}")
    if not visitor.may_open("manage"):
        return
    st.page_link(
        pages.link("manage"),
        label="Add or take away readers",
        icon=":material/arrow_forward:",
        query_params={"part": "readers", "report": report},
    )
