"""The *My report* page: a report's reading effort by issue, changes, measures, criteria and readers."""

import math
from collections.abc import Sequence
from datetime import date

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing.log import published_issues
from presort.data.editing.pending import LATE, late_issues, pending
from presort.data.mail import readers
from presort.data.records import Editorship, PendingIssue, Report
from presort.data.running import people, service
from presort.data.running.holidays import holidays
from presort.desk import pages
from presort.desk.manage.readers import READER_COLUMNS, reader_table
from presort.desk.report import scores as report_scores
from presort.desk.report.figures import (
    LAST,
    NOT_SCORED,
    Figures,
    compute,
    events,
    first_report,
    issues_table,
    summarise_unscored_lists,
    verdict,
)
from presort.desk.review import criteria
from presort.desk.scores.effort import READING_EFFORT, READING_EFFORT_HELP, SAVED_PER_LIST, SAVED_PER_LIST_HELP
from presort.desk.scores.formats import p_value, percent
from presort.desk.scores.shifts import NEW, n_values
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, cards, empty, frame, layout, table, visitor
from presort.desk.ui.cards import UNKNOWN, Card
from presort.desk.ui.choice import report_choice
from presort.desk.ui.score_choice import current_measure, draw_measure_problems, sorter_choice, source_choice

TABS = ["Measures", "Criteria", "Readers", "Deepest papers"]
CHANGE_HELP = (
    f"Reading effort in the newest {NEW} issues of the service minus that in the {NEW} issues before, in percentage "
    "points. p-value of a decline: a rank test compares the newest issues with up to 39 earlier issues. It is adjusted "
    "for list length and number of relevant papers, and corrected for the number of reports."
)
CHANGE_WINDOWS = f"{NEW} v {NEW} issues"
RELEVANT_PER_LIST = "Relevant per list"
NOTHING_MISSED_YET = "no list read below the stop point"
RETIRED = "Not tested for a decline, because the report is retired."
MISSED_HELP = (
    "Relevant papers found below the stop points / relevant papers forecast there, at a target recall of 95 %. The "
    "line below counts the lists that were read or spot-checked below the stop point. It also counts the relevant "
    "papers found above the stop points, in lists of the newest 52 issues whose selected ranking the editor was shown."
)


@visitor.one_snapshot()
def show() -> None:
    """Draw the page."""
    places = layout.draw("My report" if frame.role() == "editor" else "Report")
    with places.answer:
        if empty.lacks_reports():
            return
    with places.filters:
        chosen, issues = _choose_report()
        report = chosen.code
        editorships = people.editorships(cache.store())
        replay = source_choice(st.container(width=260))
        scored = cache.all_scores(replay)
        mine = scored[scored["report"] == report]
        ranker = sorter_choice(st.container(width=200), mine) if len(mine) else SORTED
        _draw_duty(report, editorships, issues)
    with places.answer:
        left_out = cache.not_evaluable_rankings(replay)
        stopped = left_out[left_out["report"] == report]
        found = _draw_answer(chosen, replay, ranker, mine, stopped, editorships)
        _draw_parts(report, replay, found)
    if found:
        with places.basis:
            _draw_basis(found)
    draw_measure_problems()


def _draw_parts(report: str, replay: int | None, found: Figures | None) -> None:
    """Draw the tab bar and the content of the open tab."""
    of_measures, of_criteria, of_readers, of_deepest = st.tabs(TABS, key="report-part", on_change="rerun")
    if of_measures.open and found:
        with of_measures:
            report_scores.choose_measure()
            report_scores.show_measures(found, cache.comparison_scores(replay).query("report == @report"))
    if of_criteria.open:
        with of_criteria:
            criteria.show(report)
    if of_readers.open:
        with of_readers:
            _draw_readers(report)
    if of_deepest.open and found:
        with of_deepest:
            report_scores.show_deepest(report, found.own)


def _choose_report() -> tuple[Report, list[PendingIssue]]:
    """Draw the report selector and return the selected report with its pending issues."""
    reports = sorted(catalogue.reports(cache.store(), retired=True), key=lambda report: report.is_retired)
    is_known = "report" in st.query_params or "kept-report" in st.session_state
    every = [] if is_known else _pending([report.code for report in reports if not report.is_retired])
    first = None if is_known else _first(reports, every)
    code = report_choice(st.container(width=300), reports, first=first)
    issues = [one for one in every if one.report == code] if code == first else _pending([code])
    return next(report for report in reports if report.code == code), issues


def _pending(codes: Sequence[str]) -> list[PendingIssue]:
    return pending(cache.store(), codes, today=date.today()) if codes else []


def _first(reports: Sequence[Report], issues: Sequence[PendingIssue]) -> str | None:
    codes = [report.code for report in reports if not report.is_retired]
    member = visitor.member()
    own = sorted(member.edits) if member else []
    return first_report(codes, own, issues, cache.decline_p_values(None, SORTED), late=LATE) if codes else None


def _draw_duty(report: str, known: Sequence[Editorship], issues: Sequence[PendingIssue]) -> None:
    """Draw the names of the report's editors and the number of late issues."""
    editors = people.editors_on(known, report, date.today())
    text = escape(f"Editor: {', '.join(editors) or UNKNOWN}")
    if visitor.may_open("manage"):
        query = {"part": "editors", "report": report}
        st.page_link(pages.link("manage"), label=text, icon=":material/group:", query_params=query)
    else:
        st.caption(text)
    n_late = len(late_issues(issues))
    label = f":orange[Late: {n_late}]" if n_late else "Late: 0"
    st.page_link(pages.link("week"), label=label, icon=":material/schedule:", query_params={"only": report})


def _draw_answer(
    chosen: Report,
    replay: int | None,
    ranker: str,
    mine: pd.DataFrame,
    stopped: pd.DataFrame,
    editorships: Sequence[Editorship],
) -> Figures | None:
    """Draw the verdict, the cards, the chart and the table."""
    if mine.empty and stopped.empty:
        if not empty.lacks_figures():
            st.info("No figures yet. They appear after the report's first issue is published.")
        return None
    store, report = cache.store(), chosen.code
    issues = [*mine["issue"], *stopped["issue"]]
    work = cache.work(min(issues).date())
    published = published_issues(store, [report], len(set(issues)))
    found = None
    if len(mine):
        p_values = cache.decline_p_values(replay, ranker)
        rows, days = rows_of(store, mine, ranker), cache.newest_issues(replay, ranker)
        found = compute(report, rows, days, cache.effort(replay, ranker), work, p_values)
        n_new, n_old = n_values(cache.depths(replay, ranker), [report])[report]
        st.markdown(RETIRED if chosen.is_retired else verdict(found, n_new, n_old))
        cards.draw(_cards(report, replay, ranker, found))
    changes = events(report, editorships, store.read_once("ranker choices", service.ranker_choices), holidays(store))
    measure = current_measure(LAST) if found else LAST
    if found:
        report_scores.show_chart(report, measure, found.own, mine, changes)
    values = mine.assign(value=report_scores.cell_values(measure, mine))
    issues_of = issues_table(report, values, stopped, work, published)
    early = issues_of[issues_of["state"] == NOT_SCORED]
    if len(early):
        st.caption(summarise_unscored_lists(early))
    report_scores.show_table(report, measure, issues_of, found.own if found else mine, mine)
    return found


def _cards(report: str, replay: int | None, ranker: str, found: Figures) -> list[Card]:
    change, saved = found.now - found.before, found.saved
    audits = cache.stop_audits(replay, ranker)
    if audits.empty and replay is None and found.own["replay"].notna().any():
        audits = cache.stop_audits(int(found.own["replay"].max()), ranker)
    audits = audits[audits["report"] == report]
    missed = f"{audits['found_below'].sum():.0f} / {audits['expected_below'].sum():.0f}" if len(audits) else UNKNOWN
    lists = count_text(len(audits), "list") if len(audits) else NOTHING_MISSED_YET
    chart = 100 * found.own.dropna(subset=LAST).sort_values("issue")[LAST]
    return [
        Card(
            READING_EFFORT,
            percent(found.effort),
            READING_EFFORT_HELP,
            f"mean of {count_text(len(chart), 'list')}",
            chart=chart.round(2).tolist(),
        ),
        Card(
            "Change",
            UNKNOWN if math.isnan(change) else f"{100 * change:+.1f} pt",
            CHANGE_HELP,
            CHANGE_WINDOWS if math.isnan(found.p) else f"{CHANGE_WINDOWS} · {p_value(found.p)}",
        ),
        Card(
            RELEVANT_PER_LIST,
            UNKNOWN if math.isnan(found.n_relevant) else f"{found.n_relevant:.1f}",
            "Mean over scored lists.",
            count_text(len(found.own), "list"),
        ),
        Card(
            SAVED_PER_LIST,
            f"{saved.minutes:.1f} min" if saved.n_lists else UNKNOWN,
            SAVED_PER_LIST_HELP,
            f"{saved.papers:.0f} papers · list order {percent(saved.other_effort)}" if saved.n_lists else "",
        ),
        Card(
            "Missed / forecast",
            missed,
            MISSED_HELP,
            " · ".join([lists, f"{found.n_above:,} found above"] if found.n_above else [lists]),
        ),
    ]


def _draw_basis(found: Figures) -> None:
    cases = found.own[found.own["n_relevant"] > 0]
    if cases.empty:
        return
    of_replay = cases["replay"].notna()
    source = "replay" if of_replay.all() else "partly replay" if of_replay.any() else "rankings for editors"
    first, last = cases["issue"].min().date(), cases["issue"].max().date()
    st.caption(layout.basis_text(cases, f"{source}, {first} to {last}"))


def _draw_readers(report: str) -> None:
    if not visitor.may_edit(report):
        st.caption("Only the editors of this report can see its readers.")
        return
    reading = readers.readers(cache.store(), report)
    st.metric("Readers", len(reading))
    if reading:
        table.draw(reader_table(reading), READER_COLUMNS, f"readers-{report}")
    if not visitor.may_open("manage"):
        return
    st.page_link(
        pages.link("manage"),
        label="Change readers",
        icon=":material/arrow_forward:",
        query_params={"part": "readers", "report": report},
    )
