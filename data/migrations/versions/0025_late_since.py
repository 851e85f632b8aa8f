"""Since which issue a report can be late, and that reopening takes an issue up again that was skipped.

A report that was added today was late for the newest issue, however old. When it was added or brought back is known
from the log of changes; of reports that came with an import, whose past is known, all issues count as before.

Whether a report issue was reopened after it was skipped was told by two times, which a clock confuses. Reopening now
logs that the issue is taken up again.
"""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"

LATE_AFTER = """
UPDATE report SET late_after = (
    SELECT max(issue.date) FROM issue
    JOIN change ON change.id = (
        SELECT max(id) FROM change
        WHERE report_id = report.id AND said IN ('Added the report', 'Brought the report back'))
    WHERE CAST(issue.date AS TEXT) <= substr(change.made_at, 1, 10))
"""
# A skipped issue can't be reopened, so it was published in between, and the clock was right at least for most.
TAKEN_UP = """
INSERT INTO skipped_issue (report_id, issue_id, person_id, made_at, decisions_up_to, is_taken_back)
SELECT s.report_id, s.issue_id, r.reopened_by, r.reopened_at, s.decisions_up_to, :yes
FROM skipped_issue s
JOIN reopened_issue r ON r.id = (
    SELECT max(id) FROM reopened_issue WHERE report_id = s.report_id AND issue_id = s.issue_id)
WHERE s.id = (SELECT max(id) FROM skipped_issue WHERE report_id = s.report_id AND issue_id = s.issue_id)
    AND NOT s.is_taken_back AND r.reopened_at > s.made_at
"""


def upgrade() -> None:
    """Add the column and fill it from the log of changes; log for older reopenings what newer ones log."""
    op.add_column("report", sa.Column("late_after", sa.Date(), nullable=True))
    op.execute(LATE_AFTER)
    op.execute(sa.text(TAKEN_UP).bindparams(yes=True))


def downgrade() -> None:
    """Drop the column; older versions count every issue. What was logged stays."""
    op.drop_column("report", "late_after")
