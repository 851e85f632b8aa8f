"""What the page Import says."""

from collections.abc import Mapping, Sequence
from datetime import date

from presort.data.records import ImportSummary
from presort.desk.text import counted

KINDS = (
    "Tables (CSV, TSV, XLSX, Parquet), ReDIF, AMF, RIS, BibTeX, MEDLINE, Web of Science, EndNote, PubMed XML, "
    "CSL-JSON, Atom and RSS. A zip or tar.gz of such files comes in as one: all of it or nothing."
)

FIELDS = {
    "paper_id": "Id",
    "title": "Title",
    "abstract": "Abstract",
    "authors": "Authors",
    "codes": "Codes",
    "series": "Series",
    "date": "Date",
    "issue": "Issue",
    "reports": "Selected by",
    "doi": "DOI",
}

IMPORT = "Import"
MOST_IN_A_LIST = 3_000  # papers; a week's list has hundreds
MOST_NAMED = 12  # new reports
SKIP = "Skip invalid records"
NO_IDS = "No column of ids is chosen: papers go by their title, year and first author."
COLUMNS_REMEMBERED = "The columns are taken as you chose them for the last file with these headings."

NOTHING_PENDING = "Nothing waits to be reviewed: all that came in is published or skipped."

KIND_NAMES = {
    "new": "new",
    "updated": "changed",
    "matched": "seen before",
    "possible": "possible duplicates",
    "shared": "sharing another paper's id",
    "seen": "in an earlier issue",
    "twice": "twice",
    "left_out": "left out",
    "repairs": "repaired",
}
PAPER_COLUMNS = {"where": "Where", "title": "Title", "paper_id": "Id"}
COPY_COLUMNS = {**PAPER_COLUMNS, "duplicate_of": "Also as", "how": "Known by"}
POSSIBLE_COLUMNS = {**PAPER_COLUMNS, "duplicate_of": "May be", "how": "In common"}
SHARED_COLUMNS = {**PAPER_COLUMNS, "duplicate_of": "Other paper", "how": "In common"}
TO_DECIDE = (
    "Possible duplicates and the papers they resemble are both listed until a director decides on *Manage*, *Imports*."
)
LEFT_OUT_COLUMNS = {"where": "Where", "reason": "Why"}
REPAIR_COLUMNS = {"where": "Where", "reason": "Repair"}


def changes(summary: ImportSummary) -> str:
    """Describe what an import changes, or would; empty if nothing.

    Examples
    --------
    >>> changes(ImportSummary(9, 1, 8, 0, 8, 0, 0, 0, matched=1))
    '1 new issue, 8 new papers, 1 paper seen before'
    >>> changes(ImportSummary(9, 0, 0, 2, 9, 1, 9, 0))
    '2 changed papers, 9 more listed, 1 new report, 9 new selections'
    """
    more = summary.new_listings - summary.new_papers
    parts = [
        counted(summary.new_issues, "new issue"),
        counted(summary.new_papers, "new paper"),
        counted(summary.updated_papers, "changed paper"),
        f"{max(more, 0):,} more listed",  # in an issue that they were not in, or in another one
        counted(summary.new_reports, "new report"),
        counted(summary.new_selections, "new selection"),
        f"{counted(summary.matched, 'paper')} seen before",
    ]
    return ", ".join(part for part in parts if not part.startswith("0 "))


def import_summary(summary: ImportSummary, n_left_out: int) -> str:
    """Describe what was read, and what it changes.

    Examples
    --------
    >>> import_summary(ImportSummary(9, 1, 8, 0, 8, 0, 0, 0, matched=1), 2)
    '9 papers read, 2 more left out: 1 new issue, 8 new papers, 1 paper seen before.'
    >>> import_summary(ImportSummary(9, 0, 0, 0, 0, 0, 0, 3), 0)
    '9 papers read: all of it is known. 3 selections are left to editors, who decide at the desk.'
    >>> import_summary(ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), 0)
    'No paper is in it.'
    """
    if not summary.listings:
        return "No paper is in it."
    left_out = f", {n_left_out:,} more left out" if n_left_out else ""
    left = summary.selections_left
    note = f" {counted(left, 'selection')} {'is' if left == 1 else 'are'} left to editors, who decide at the desk."
    read = counted(summary.listings, "paper")
    return f"{read} read{left_out}: {changes(summary) or 'all of it is known'}.{note if left else ''}"


def all_wrong(n: int) -> str:
    """State how much of a file can't be taken, at least two.

    Examples
    --------
    >>> all_wrong(12)
    "12 papers can't be taken; here are all of them."
    """
    return f"{n:,} papers can't be taken; here are all of them."


def crowded(summary: ImportSummary) -> str:
    """Warn of lists too long to be one week's, as of a file whose column of issues was not found; else nothing.

    Examples
    --------
    >>> crowded(ImportSummary(11181, 1, 11181, 0, 11181, 0, 0, 0))
    "11,181 papers come into 1 issue. If a column says which issue each belongs to, choose it as 'Issue' under Columns."
    >>> crowded(ImportSummary(11181, 13, 11181, 0, 11181, 0, 0, 0))
    ''
    """
    if summary.new_listings <= MOST_IN_A_LIST * max(summary.new_issues, 1):
        return ""
    papers, issues = counted(summary.new_listings, "paper"), counted(max(summary.new_issues, 1), "issue")
    column = "If a column says which issue each belongs to, choose it as 'Issue' under Columns."
    return f"{papers} come into {issues}. {column}"


def like_issue(column: str, n_dates: int) -> str:
    """Describe a column that probably says which issue each paper belongs to.

    Examples
    --------
    >>> like_issue("date", 13)
    "'date' looks like the issue: 13 dates, each of many papers."
    >>> like_issue("week", 1)
    "'week' looks like the issue: all papers have one date."
    """
    dates = "all papers have one date" if n_dates == 1 else f"{n_dates:,} dates, each of many papers"
    return f"{column!r} looks like the issue: {dates}."


def no_papers(missing: Sequence[str]) -> str:
    """Explain that a table seems to hold no papers, as no column looks like one that is needed.

    Examples
    --------
    >>> no_papers(["Title"])
    "This doesn't look like a list of papers: no column is called Title. Choose it, or drop another file."
    """
    columns = " or ".join(missing)
    return f"This doesn't look like a list of papers: no column is called {columns}. Choose it, or drop another file."


def new_reports(codes: Sequence[str]) -> str:
    """Name the reports that an import adds, or would; nothing where there are none.

    Examples
    --------
    >>> new_reports([]), new_reports(["lab"]), new_reports(["ifn", "lab", "mac"])
    ('', 'New report: lab.', 'New reports: ifn, lab, mac.')
    """
    if not codes:
        return ""
    more = f" and {len(codes) - MOST_NAMED:,} more" if len(codes) > MOST_NAMED else ""
    return f"New report{'' if len(codes) == 1 else 's'}: {', '.join(codes[:MOST_NAMED])}{more}."


def is_running(names: Sequence[str]) -> str:
    """State that an import runs, of which files.

    Examples
    --------
    >>> is_running(["a.csv", "b.csv"])
    'Importing a.csv, b.csv. It goes on if you leave.'
    """
    return f"Importing {', '.join(names)}. It goes on if you leave."


def is_looking(names: Sequence[str]) -> str:
    """State that files are looked at.

    Examples
    --------
    >>> is_looking(["a.csv"])
    'Looking at a.csv; nothing is changed.'
    """
    return f"Looking at {', '.join(names)}; nothing is changed."


def is_waiting(names: Sequence[str], *, is_next: bool) -> str:
    """State that files wait for what is done before them, or, where nothing is, for their worker.

    Examples
    --------
    >>> is_waiting(["a.csv"], is_next=False)
    'a.csv: waits for what was asked for before. It goes on if you leave.'
    >>> is_waiting(["a.csv"], is_next=True)
    'a.csv: begins in a moment. It goes on if you leave.'
    """
    waits = "begins in a moment" if is_next else "waits for what was asked for before"
    return f"{', '.join(names)}: {waits}. It goes on if you leave."


def not_yet(problems: Mapping[str, str]) -> str:
    """Explain, of the first file that can't be read as it stands, what is missing; nothing where all can.

    Examples
    --------
    >>> not_yet({"week.csv": "no paper is in it"})
    'week.csv: no paper is in it'
    >>> not_yet({"week.csv": ""})
    ''
    """
    return next((f"{name}: {problem}" for name, problem in problems.items() if problem), "")


def unfinished(problem: str) -> str:
    """Format what kept an import from being followed up: what came in is there.

    Examples
    --------
    >>> unfinished("The disk is full.")
    'All of it came in. It is made ready for sorting when it is next sorted, as now that failed: The disk is full.'
    """
    return f"All of it came in. It is made ready for sorting when it is next sorted, as now that failed: {problem}"


def stays_out(names: Sequence[str]) -> str:
    """Name the files that can't be imported as they stand; nothing where there are none.

    Examples
    --------
    >>> stays_out(["a.csv"]), stays_out(["a.csv", "b.csv"]), stays_out([])
    ('Not imported, as it stands: a.csv.', 'Not imported, as they stand: a.csv, b.csv.', '')
    """
    stand = "it stands" if len(names) == 1 else "they stand"
    return f"Not imported, as {stand}: {', '.join(names)}." if names else ""


def how_it_comes(issue: date | None, selected_by: Sequence[str], *, keeps_going: bool) -> str:
    """State which issue papers go into, and who selected them.

    Examples
    --------
    >>> how_it_comes(date(2026, 11, 16), ["lab"], keeps_going=False)
    'Papers go into the issue of 2026-11-16, unless a table says another. All count as selected by lab.'
    """
    parts = []
    if issue:
        parts.append(f"Papers go into the issue of {issue}, unless a table says another.")
    if selected_by:
        parts.append(f"All count as selected by {', '.join(selected_by)}.")
    if keeps_going:
        parts.append("What can't be taken is left out.")
    return " ".join(parts)
