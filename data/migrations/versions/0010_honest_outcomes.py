"""What a report issue knew when it went out: how many papers the issue had, and which of them nobody had read."""

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"

LOST = {"report issues that were not read whole": "SELECT count(*) FROM report_issue WHERE length(unread) > 0"}

# A ranking is scored when its report issue goes out: its outcome tells how many papers there were then. Where nothing
# was scored, all that are listed now count.
SIZES = """
UPDATE report_issue SET n_papers = coalesce(
    (SELECT min(o.n_papers) FROM outcome o JOIN ranking k ON k.id = o.ranking_id
        WHERE k.report_id = report_issue.report_id AND k.issue_id = report_issue.issue_id),
    (SELECT count(*) FROM listing l WHERE l.issue_id = report_issue.issue_id))
"""

# Those made after other papers had joined the issue: they are derived, and made again.
OF_OTHER_SIZE = """
DELETE FROM outcome WHERE ranking_id IN (
    SELECT k.id FROM ranking k JOIN report_issue t ON t.report_id = k.report_id AND t.issue_id = k.issue_id
        JOIN outcome o ON o.ranking_id = k.id
    WHERE o.n_papers <> t.n_papers)
"""


def upgrade() -> None:
    """Add the columns. Of what went out before, nobody knows what was read: it counts as read."""
    op.add_column("report_issue", sa.Column("n_papers", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.add_column("report_issue", sa.Column("unread", sa.LargeBinary(), nullable=False, server_default=sa.text("x''")))
    op.execute(SIZES)
    op.execute(OF_OTHER_SIZE)


def downgrade() -> None:
    """Take the columns away."""
    op.drop_column("report_issue", "unread")
    op.drop_column("report_issue", "n_papers")
