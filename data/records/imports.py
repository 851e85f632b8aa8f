"""Papers read from files, and the result of an import."""

from dataclasses import dataclass
from datetime import date

from presort.data.records.papers import Origin, Paper


@dataclass(frozen=True, slots=True)
class Entry:
    """Paper read from a file, which may or may not name the issue.

    Attributes
    ----------
    paper : Paper
        Cleaned and validated paper.
    row : int or None
        Line or spreadsheet row where the paper begins, counted from 1. None if the format has neither.
    issue : date or None
        Date of the issue that lists the paper. None if the file does not name it.
    selected_by : tuple of str
        Codes of the reports whose editors selected the paper, according to the file.
    """

    paper: Paper
    row: int | None = None
    issue: date | None = None
    selected_by: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class ImportSummary:
    """Numbers of papers, issues and selections that an import added or changed."""

    listings: int
    new_issues: int
    new_papers: int
    updated_papers: int
    new_listings: int
    new_reports: int
    new_selections: int
    selections_left: int  # selections ignored because an editor has already decided at the desk
    matched: int = 0  # new papers that duplicate others: stored, but not listed


@dataclass(frozen=True, slots=True)
class PaperChange:
    """Imported paper with its origin and the stored paper that it duplicates or resembles, if any."""

    paper_id: str
    title: str
    origin: Origin | None
    duplicate_of: str = ""
    how: str = ""  # matching fields: "id", "doi" or "title and authors"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result of an import, or of its preview: counts, and the papers they count.

    Attributes
    ----------
    summary : ImportSummary
    new, updated, matched : tuple of PaperChange
        New papers, updated papers and duplicates of stored papers, in file order.
    twice : tuple of PaperChange
        Repeated records of a paper in the same issue. The last record is used.
    seen : tuple of PaperChange
        Papers that are not listed because an earlier issue lists them.
    new_reports : tuple of str
        Codes of added reports, in alphabetical order.
    unfinished : str
        Error that stopped tokenising the new papers or scoring old rankings. Empty if there was none. The papers are
        stored anyway, and the next ranking completes these steps.
    possible : tuple of PaperChange
        Possible duplicates. Both papers are listed until the director decides.
    shared : tuple of PaperChange
        Papers with the id or DOI of another paper but different content, so they are not duplicates.
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
