"""Papers read from files, and the result of an import."""

from dataclasses import dataclass
from datetime import date

from presort.data.records.papers import Origin, Paper


@dataclass(frozen=True, slots=True)
class Entry:
    """Paper as described in a file, which may not name its issue.

    Attributes
    ----------
    paper : Paper
        Cleaned and checked.
    row : int or None
        Line, or row as a spreadsheet counts it, from 1, where the paper begins; None if the format has none.
    issue : date or None
        Of the issue that lists it, where the file says so.
    selected_by : tuple of str
        Codes of the reports whose editors selected it, where the file says so.
    """

    paper: Paper
    row: int | None = None
    issue: date | None = None
    selected_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Numbers of papers, issues and selections that an import changed."""

    listings: int
    new_issues: int
    new_papers: int
    updated_papers: int
    new_listings: int
    new_reports: int
    new_selections: int
    selections_left: int  # to editors who have decided at the desk
    matched: int = 0  # duplicates of known papers: stored, but not listed


@dataclass(frozen=True, slots=True)
class PaperChange:
    """One paper of an import: where it was read, and the known paper that it duplicates or resembles."""

    paper_id: str
    title: str
    origin: Origin | None
    duplicate_of: str = ""
    how: str = ""  # what both have: "id", "doi" or "title and authors"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result of an import or of its preview: the numbers, and the papers behind them.

    Attributes
    ----------
    summary : ImportSummary
    new, updated, matched : tuple of PaperChange
        In file order.
    twice : tuple of PaperChange
        Repeated descriptions of papers that an issue lists already. The last description counts.
    seen : tuple of PaperChange
        Those that an earlier issue lists, and so none again.
    new_reports : tuple of str
        Their codes, in order.
    possible : tuple of PaperChange
        Papers that may be duplicates of others; both are listed, and a person decides.
    shared : tuple of PaperChange
        Papers that only have the id or DOI of another one, so that they are no duplicates.
    unfinished : str
        What kept the words of the new papers from being counted and old rankings from being scored; empty where nothing
        did. All came in nevertheless, and the next ranking does the rest.
    """

    summary: ImportSummary
    new: tuple[PaperChange, ...] = ()
    updated: tuple[PaperChange, ...] = ()
    matched: tuple[PaperChange, ...] = ()
    twice: tuple[PaperChange, ...] = ()
    seen: tuple[PaperChange, ...] = ()
    new_reports: tuple[str, ...] = ()
    unfinished: str = ""
    possible: tuple[PaperChange, ...] = ()
    shared: tuple[PaperChange, ...] = ()
