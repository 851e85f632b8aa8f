"""The plain records that every other part of Presort speaks in.

A *paper* is listed in an *issue*; a *report* takes *decisions* on the papers of an issue; a *ranker* makes a
*ranking* of an issue for a report. Nothing here reads a file, talks to a database or draws.
"""

from data.records.imports import Entry, ImportReport, ImportSummary, PaperChange
from data.records.papers import (
    History,
    Issue,
    ListedPaper,
    Origin,
    Paper,
    PaperTokens,
    Positions,
    Report,
    Rows,
    TokenLists,
    Tokens,
)
from data.records.rankings import (
    Model,
    Ranking,
    Replay,
    ScoredRanking,
    StoredRanking,
)
from data.records.reviews import (
    About,
    Criteria,
    Decision,
    Draft,
    ExportedPaper,
    HintKind,
    Hints,
    Issuing,
    LoggedDecision,
    Note,
    NoteKind,
    PaperNotes,
    Pending,
    Reopening,
    ReportIssue,
    Word,
)
from data.records.sending import Mailing, MailingState, Reader
from data.records.service import Editorship, Holiday, ImportedFile, RankerChoice

__all__ = [
    "About",
    "Criteria",
    "Decision",
    "Draft",
    "Editorship",
    "Entry",
    "ExportedPaper",
    "HintKind",
    "Hints",
    "History",
    "Holiday",
    "ImportReport",
    "ImportSummary",
    "ImportedFile",
    "Issue",
    "Issuing",
    "ListedPaper",
    "LoggedDecision",
    "Mailing",
    "MailingState",
    "Model",
    "Note",
    "NoteKind",
    "Origin",
    "Paper",
    "PaperChange",
    "PaperNotes",
    "PaperTokens",
    "Pending",
    "Positions",
    "RankerChoice",
    "Ranking",
    "Reader",
    "Reopening",
    "Replay",
    "Report",
    "ReportIssue",
    "Rows",
    "ScoredRanking",
    "StoredRanking",
    "TokenLists",
    "Tokens",
    "Word",
]
