"""Result of an import or its preview: figures, tables of the affected papers, and links to the next step."""

from collections.abc import Sequence
from datetime import date

import pandas as pd
import streamlit as st

from presort.data import catalogue
from presort.data.editing import log
from presort.data.editing.pending import pending as pending_issues
from presort.data.errors import UnreadableFileError
from presort.data.importers.formats import place
from presort.data.importers.problems import Repair
from presort.data.records import ImportSummary, PaperChange
from presort.desk import pages
from presort.desk.importing.importer import unfinished_text
from presort.desk.importing.uploads import Outcome
from presort.desk.text import count_text, escape
from presort.desk.ui import cache, cards, empty, reranking, visitor
from presort.desk.ui import table as tables
from presort.desk.ui.cards import Card

PAPER_COLUMNS = {"where": "Where", "title": "Title", "paper_id": "Id"}
DUPLICATE_COLUMNS = {**PAPER_COLUMNS, "duplicate_of": "Duplicate of", "how": "Matched by"}
KINDS = {  # label and column headings for each kind of change
    "new": ("New", PAPER_COLUMNS),
    "updated": ("Updated", PAPER_COLUMNS),
    "matched": ("Duplicates", DUPLICATE_COLUMNS),
    "possible": ("Possible duplicates", {**PAPER_COLUMNS, "duplicate_of": "Duplicate of?", "how": "In common"}),
    "shared": ("Shared ids", {**PAPER_COLUMNS, "duplicate_of": "Other paper", "how": "In common"}),
    "seen": ("In an earlier issue", PAPER_COLUMNS),
    "twice": ("Twice in the file", PAPER_COLUMNS),
    "skipped": ("Skipped", {"where": "Where", "reason": "Problem"}),
    "repairs": ("Repaired", {"where": "Where", "reason": "Repair"}),
}
PROBLEMS = ("skipped", "repairs")  # kinds for which records in the file are listed instead of papers
MOST_IN_A_LIST = 3_000  # maximum number of papers in a plausible issue; a weekly issue has hundreds
MOST_NAMED = 12  # maximum number of new reports to list by code


def draw_figures(outcomes: Sequence[Outcome]) -> None:
    """Draw the total numbers of new, updated, duplicate and skipped papers in the files."""
    reports = [one.report for one in outcomes if one.report is not None]
    n_duplicates = sum(one.summary.matched + len(one.seen) + len(one.twice) for one in reports)
    cards.draw(
        [
            Card("New", f"{sum(one.summary.new_papers for one in reports):,}", "Papers imported for the first time."),
            Card(
                "Updated",
                f"{sum(one.summary.updated_papers for one in reports):,}",
                "Papers imported earlier whose data have changed.",
            ),
            Card(
                "Duplicates", f"{n_duplicates:,}", "Papers that are already in an earlier issue, or twice in the file."
            ),
            Card(
                "Skipped", f"{sum(len(one.skipped) for one in outcomes):,}", "Invalid records that were not imported."
            ),
        ]
    )


def draw(outcome: Outcome, name: str) -> None:
    """Draw the result of importing one file, or its preview. `name` is used in widget keys and CSV file names."""
    with st.container(gap="xsmall"):
        st.markdown(f"**{escape(outcome.name)}** · {escape(facts(outcome))}")
        if outcome.report is None:
            st.error(plain_advice(outcome.problem))
            if len(outcome.skipped) > 1:
                _draw_table(outcome, "skipped", name)
            return
        if warning := long_issues_warning(outcome.report.summary):
            st.warning(escape(warning))
        if outcome.report.possible:
            st.caption("Possible duplicates remain listed until a director resolves them on *Manage*, *Imports*.")
        if outcome.report.unfinished:
            st.warning(escape(unfinished_text(outcome.report.unfinished)))
        counts = {kind: n for kind in KINDS if (n := _count(outcome, kind))}
        kind = st.segmented_control(
            "Papers",
            list(counts),
            default=next(iter(counts), None),
            format_func=lambda kind: f"{KINDS[kind][0]} {counts[kind]:,}",
            key=f"kind-{name}",
            label_visibility="collapsed",
        )
        if kind:  # draw only one table at a time, because there may be thousands of papers
            _draw_table(outcome, kind, name)


def plain_advice(problem: str) -> str:
    """Escape an error message for Markdown, except asterisks, which emphasise the page's labels."""
    return escape(problem).replace(r"\*", "*")


def facts(outcome: Outcome) -> str:
    """Format the counts of a file that `draw_figures` doesn't show.

    Examples
    --------
    >>> from presort.data.records import ImportReport
    >>> facts(Outcome("a.csv", ImportReport(ImportSummary(9, 1, 8, 0, 8, 2, 3, 0), new_reports=("lab", "mac"))))
    '9 papers · 1 new issue · 3 new selections · new reports: lab, mac'
    """
    if outcome.report is None:
        return "not imported"
    summary, codes = outcome.report.summary, outcome.report.new_reports
    parts = [count_text(summary.listings, "paper")]
    if summary.new_issues:
        parts.append(count_text(summary.new_issues, "new issue"))
    if summary.new_selections:
        parts.append(count_text(summary.new_selections, "new selection"))
    if summary.selections_left:
        parts.append(
            f"{count_text(summary.selections_left, 'selection')} skipped because editors have already begun the issues"
        )
    if codes:
        more = f" and {len(codes) - MOST_NAMED:,} more" if len(codes) > MOST_NAMED else ""
        parts.append(f"new report{'' if len(codes) == 1 else 's'}: {', '.join(codes[:MOST_NAMED])}{more}")
    return " · ".join(parts)


def long_issues_warning(summary: ImportSummary) -> str:
    """Return a warning if issues are implausibly long, which suggests that the issue column wasn't recognised.

    Examples
    --------
    >>> long_issues_warning(ImportSummary(11181, 1, 11181, 0, 11181, 0, 0, 0))
    '11,181 papers in 1 issue. If a column contains the issue dates, choose it as Issue under Columns.'
    >>> long_issues_warning(ImportSummary(11181, 13, 11181, 0, 11181, 0, 0, 0))
    ''
    """
    n_issues = max(summary.new_issues, 1)
    if summary.new_listings <= MOST_IN_A_LIST * n_issues:
        return ""
    papers, issues = count_text(summary.new_listings, "paper"), count_text(n_issues, "issue")
    return f"{papers} in {issues}. If a column contains the issue dates, choose it as Issue under Columns."


def _draw_table(outcome: Outcome, kind: str, name: str) -> None:
    tables.draw(table(outcome, kind), KINDS[kind][1], f"{name}-{kind.replace('_', '-')}")


def table(outcome: Outcome, kind: str) -> pd.DataFrame:
    """Return a table of the papers or records with one kind of change, in the order of the file."""
    columns = list(KINDS[kind][1])
    if kind in PROBLEMS:
        return pd.DataFrame([_problem(outcome.name, one) for one in getattr(outcome, kind)], columns=columns)
    changes: tuple[PaperChange, ...] = getattr(outcome.report, kind)
    rows = [
        (_change_place(outcome.name, change), change.title, change.paper_id, change.duplicate_of, change.how)
        for change in changes
    ]
    return pd.DataFrame(rows, columns=list(DUPLICATE_COLUMNS))[columns]


def _count(outcome: Outcome, kind: str) -> int:
    return len(getattr(outcome if kind in PROBLEMS else outcome.report, kind))


def _change_place(name: str, change: PaperChange) -> str:
    return _strip_file_name(name, place(change.origin.file, change.origin.row)) if change.origin else ""


def _problem(name: str, found: UnreadableFileError | Repair) -> tuple[str, str]:
    reason = f"{found.column}: {found.reason}" if found.column else found.reason
    return _strip_file_name(name, place(found.name, found.row or found.line)), reason


def _strip_file_name(name: str, where: str) -> str:
    """Remove the file's name from the description of a location in the file."""
    return where.removeprefix(name).removeprefix(", ")


def draw_next_steps() -> None:
    """Draw a button to add the first report, or a link to the newest pending list. Queue missing rankings."""
    codes = [report.code for report in catalogue.reports(cache.store())]
    reranking.rank_unranked(codes)
    reranking.show()
    with st.container(horizontal=True, vertical_alignment="center"):
        if codes:
            _draw_review_link(codes)
        elif st.button("Add a report", key="add-a-report", type="primary", icon=":material/add:"):
            st.switch_page(pages.link("manage"), query_params=empty.TO_REPORTS.query)
        st.page_link(
            pages.link("manage"),
            label="All imports",
            icon=":material/list:",
            query_params={"part": "imports"},
        )


def _draw_review_link(reports: Sequence[str]) -> None:
    """Draw a link to the newest pending issue, preferably one of the report for which the user last made decisions.

    If no issue is pending, draw a message.
    """
    store = cache.store()
    own = log.last_report(store, visitor.person())
    newest = max(
        pending_issues(store, reports, today=date.today()), key=lambda one: (one.issue, one.report == own), default=None
    )
    if newest is None:
        st.markdown("No pending lists: all issues are published or skipped.", width="content")
        st.page_link(pages.link("week"), label="This week", icon=":material/inbox:")
        return
    st.page_link(
        pages.link("review"),
        label=escape(f"Review {newest.report} {newest.issue}"),
        icon=":material/checklist:",
        query_params={"report": newest.report, "issue": str(newest.issue)},
    )
