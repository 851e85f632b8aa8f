"""What the page Import says."""

from collections.abc import Sequence
from datetime import date

from data.records import ImportSummary
from desk.words.text import counted

TITLE = "Import"
ABOUT = "New issues, and what was selected from past ones. You see what would change before anything does."
FILES = "Files"
KINDS = (
    "Tables (CSV, TSV, XLSX, Parquet), ReDIF, AMF, RIS, BibTeX, Atom and RSS. A zip or tar.gz of such files comes in "
    "as one: all of it or nothing."
)
ISSUE = "Issue"
ISSUE_HELP = "The date of the list that these papers go into. A table may say it by itself, in a column of dates."
SELECTED_BY = "Selected by"
SELECTED_BY_HELP = "For past report issues: the reports whose editors selected all of these papers. New ones are added."
NO_REPORT = "nobody: new papers"
KEEP_GOING = "Keep going"
KEEP_GOING_HELP = "Leave out what can't be taken, and import the rest. Without it, one bad line keeps a file out."
MATCH = "Know papers again"
MATCH_HELP = (
    "A paper that an earlier issue lists, or that is known under another id, is not listed again: its readers have "
    "seen it."
)
LOOK = "See what would change"
LOOKING = "Looking; nothing is changed"
CHANGED = "The files or choices are others now: see anew what would change."

NOT_THERE = "not in the file"
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
COLUMN, TAKEN_AS = "Column", "Taken as"

FOUND = "What would change"
BY_ITSELF = "Each file is an import of its own, in this order, and is looked at here as if it were the only one."
NO_PAPER = "No paper is in it."
NOTHING_NEW = "Nothing of it is new, so there is nothing to import."
NONE_FITS = "None of it can be imported like this."
IMPORT = "Import"
LEAVE = "Leave it"
IMPORTING = "Importing; it goes on if you leave"
DONE = "Imported"
NOT_DONE = "Not all was imported"
EACH_BY_ITSELF = "Each file came in as a whole or not at all; one that failed undoes none of the others."
TO_REVIEW = "Review the newest issue"
TO_IMPORTS = "All that came in"

SHOW = "Show the papers that are"
KIND_NAMES = {
    "new": "new",
    "updated": "changed",
    "matched": "seen before",
    "seen": "in an earlier issue",
    "twice": "twice",
    "left_out": "left out",
}
PAPER_COLUMNS = {"where": "Where", "title": "Title", "paper_id": "Id"}
COPY_COLUMNS = {**PAPER_COLUMNS, "same_as": "Also as", "how": "Known by"}
LEFT_OUT_COLUMNS = {"where": "Where", "reason": "Why"}


def demo(folder: str) -> str:
    """Say why nothing is imported into the demo."""
    return f"{folder} holds the made-up demo, which takes no other papers: start with another folder, by --workspace."


def columns_of(name: str) -> str:
    """Name the box of a table's columns."""
    return f"Columns of {name}"


def row(number: int) -> str:
    """Name a row of a table."""
    return f"Row {number}"


def needs(fields: Sequence[str]) -> str:
    """Say which fields need a column.

    Examples
    --------
    >>> needs(["paper_id", "title"])
    'Choose the column of: Id, Title.'
    """
    return f"Choose the column of: {', '.join(FIELDS[field] for field in fields)}."


def is_there(issue: date, n_papers: int) -> str:
    """Say that an issue is there already.

    Examples
    --------
    >>> is_there(date(2026, 11, 16), 612)
    'The issue of 2026-11-16 is there, with 612 papers; new ones come after them.'
    """
    return f"The issue of {issue} is there, with {counted(n_papers, 'paper')}; new ones come after them."


def changes(summary: ImportSummary) -> str:
    """Say what an import changes, or would; empty if nothing.

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


def told(summary: ImportSummary, n_left_out: int) -> str:
    """Say what was read, and what it changes.

    Examples
    --------
    >>> told(ImportSummary(9, 1, 8, 0, 8, 0, 0, 0, matched=1), 2)
    '9 papers read, 2 more left out: 1 new issue, 8 new papers, 1 paper seen before.'
    >>> told(ImportSummary(9, 0, 0, 0, 0, 0, 0, 3), 0)
    '9 papers read: all of it is known. 3 selections are left to editors, who decide at the desk.'
    >>> told(ImportSummary(0, 0, 0, 0, 0, 0, 0, 0), 0)
    'No paper is in it.'
    """
    if not summary.listings:
        return NO_PAPER
    left_out = f", {n_left_out:,} more left out" if n_left_out else ""
    left = summary.selections_left
    note = f" {counted(left, 'selection')} {'is' if left == 1 else 'are'} left to editors, who decide at the desk."
    read = counted(summary.listings, "paper")
    return f"{read} read{left_out}: {changes(summary) or 'all of it is known'}.{note if left else ''}"


def kind_counted(kind: str, n: int) -> str:
    """Name a kind of papers, with their number.

    Examples
    --------
    >>> kind_counted("matched", 1200)
    'seen before 1,200'
    """
    return f"{KIND_NAMES[kind]} {n:,}"


def will_come(name: str, summary: ImportSummary) -> str:
    """Say what will change when a file is imported.

    Examples
    --------
    >>> will_come("week.rdf", ImportSummary(9, 1, 9, 0, 9, 0, 0, 0))
    'week.rdf: 1 new issue, 9 new papers.'
    """
    return f"{name}: {changes(summary)}."


def stays_out(names: Sequence[str]) -> str:
    """Say which files stay out.

    Examples
    --------
    >>> stays_out(["a.csv", "b.csv"])
    'Not imported, as they stand: a.csv, b.csv.'
    """
    return f"Not imported, as {'it stands' if len(names) == 1 else 'they stand'}: {', '.join(names)}."


def how_it_comes(issue: date | None, selected_by: Sequence[str], *, keeps_going: bool) -> str:
    """Say which issue papers go into, and who selected them.

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
