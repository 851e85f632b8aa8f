"""The words that count, kept by report issue beside the log of decisions."""

import sqlalchemy as sa
from alembic import op

from presort.data.index import judged_issues

revision = "0020"
down_revision = "0019"


def upgrade() -> None:
    """Make the table, and count what the log says."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "judged_issue",
        sa.Column("report_id", number, nullable=False),
        sa.Column("issue_id", number, nullable=False),
        sa.Column("relevant", sa.LargeBinary(), nullable=False),
        sa.Column("maybe", sa.LargeBinary(), nullable=False),
        sa.Column("irrelevant", sa.LargeBinary(), nullable=False),
        sa.Column("newest", number, nullable=False),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name=op.f("fk_judged_issue_report_id")),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name=op.f("fk_judged_issue_issue_id")),
        sa.PrimaryKeyConstraint("report_id", "issue_id", name=op.f("pk_judged_issue")),
    )
    op.create_index(op.f("ix_judged_issue_newest"), "judged_issue", ["newest"])
    judged_issues.catch_up(op.get_bind())


def downgrade() -> None:
    """Take the table away; it is made of the log."""
    op.drop_table("judged_issue")
