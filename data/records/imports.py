"""Papers read from files, and the result of an import."""

from dataclasses import dataclass
from datetime import date

from presort.data.records.papers import Origin, Paper


@dataclass(frozen=True, slots=True)
class Entry:
    """Paper read from a file. The file may or may not specify the issue.

    Attributes
    ----------
    paper : Paper
        The paper, cleaned and validated.
    row : int or None
        Line or spreadsheet row in which the paper begins, counted from 1. None if the format has no lines or rows.
    issue : date or None
        Date of the issue that lists the paper. None if the file does not specify it.
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
    selections_left: int  # selections ignored because an editor has already begun work on the report issue at the desk
    matched: int = 0  # new papers that duplicate other papers; they are stored but not listed


@dataclass(frozen=True, slots=True)
class PaperChange:
    """Imported paper with its origin and the stored paper that it duplicates or resembles, if any."""

    paper_id: str
    title: str
    origin: Origin | None
    duplicate_of: str = ""
    how: str = ""  # fields that match: "id", "doi" or "title and authors"


@dataclass(frozen=True, slots=True)
class ImportReport:
    """Result of an import or an import preview: numbers of papers, and the papers themselves.

    Attributes
    ----------
    summary : ImportSummary
    new, updated, matched : tuple of PaperChange
        New papers, updated papers and duplicates of stored papers, in file order.
    twice : tuple of PaperChange
        Papers with more than one record in the same issue. Only the last record is used.
    seen : tuple of PaperChange
        Papers that are not listed again, because they are already listed in an earlier issue.
    new_reports : tuple of str
        Codes of the added reports, in alphabetical order.
    unfinished : str
        Error that stopped tokenising the new papers or scoring old rankings. Empty if there was none. The papers are
        stored anyway, and the next ranking completes these steps.
    possible : tuple of PaperChange
        Possible duplicates. Both papers are listed until the director decides.
    shared : tuple of PaperChange
        Papers that share an id or DOI with another paper but are not duplicates, because their content is different.
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
