"""Database tables of a workspace. Only modules in `data` may use them.

`making` creates the tables in an empty database. After the release of version 0.1.0, every change to the tables needs a
migration in `data/migrations/versions` for existing databases. `guards` contains the triggers for SQLite, and
`postgresql` contains the triggers for PostgreSQL.
"""

from presort.data.tables.access import ChangeRow, IdentityRow, InvitationRow, RemovedAccountRow, RoleRow
from presort.data.tables.base import PLAIN, Base, Lines, Moment
from presort.data.tables.guards import PACKED_LISTS
from presort.data.tables.papers import (
    PAPER_COLUMNS,
    IssueRow,
    ListingRow,
    PaperDuplicateRow,
    PaperIndexRow,
    PaperRow,
    PaperTokensRow,
    PaperVectorRow,
    PossibleDuplicateRow,
    RevisionRow,
    SettingRow,
    TokenRow,
    paper_of,
    paper_values,
)
from presort.data.tables.rankings import OutcomeRow, RankingRow, ReplayRow, StopAuditRow
from presort.data.tables.reviews import (
    CriteriaRow,
    CurrentDecisionsRow,
    DecisionRow,
    DraftRow,
    DrawRow,
    FirstPublicationRow,
    HintRow,
    PaperNoteRow,
    PreferenceRow,
    ReadMarkRow,
    ReopenedIssueRow,
    ReportIssueRow,
    RerankingRow,
    SkippedIssueRow,
)
from presort.data.tables.sending import MailingRow, ReaderRow, ReadershipRow
from presort.data.tables.service import (
    AlertRow,
    EditorshipRow,
    HolidayRow,
    ImportedFileRow,
    PersonRow,
    RankerChoiceRow,
    ReportRow,
)
from presort.data.tables.weekly import NoticeRow, WeeklyStepRow

# Triggers compare these columns with `listing`, so when all tables are copied, `listing` must be filled first.
for packed in PACKED_LISTS:
    Base.metadata.tables[packed.table].add_is_dependent_on(Base.metadata.tables["listing"])

__all__ = [
    "PAPER_COLUMNS",
    "PLAIN",
    "AlertRow",
    "Base",
    "ChangeRow",
    "CriteriaRow",
    "CurrentDecisionsRow",
    "DecisionRow",
    "DraftRow",
    "DrawRow",
    "EditorshipRow",
    "FirstPublicationRow",
    "HintRow",
    "HolidayRow",
    "IdentityRow",
    "ImportedFileRow",
    "InvitationRow",
    "IssueRow",
    "Lines",
    "ListingRow",
    "MailingRow",
    "Moment",
    "NoticeRow",
    "OutcomeRow",
    "PaperDuplicateRow",
    "PaperIndexRow",
    "PaperNoteRow",
    "PaperRow",
    "PaperTokensRow",
    "PaperVectorRow",
    "PersonRow",
    "PossibleDuplicateRow",
    "PreferenceRow",
    "RankerChoiceRow",
    "RankingRow",
    "ReadMarkRow",
    "ReaderRow",
    "ReadershipRow",
    "RemovedAccountRow",
    "ReopenedIssueRow",
    "ReplayRow",
    "ReportIssueRow",
    "ReportRow",
    "RerankingRow",
    "RevisionRow",
    "RoleRow",
    "SettingRow",
    "SkippedIssueRow",
    "StopAuditRow",
    "TokenRow",
    "WeeklyStepRow",
    "paper_of",
    "paper_values",
]
