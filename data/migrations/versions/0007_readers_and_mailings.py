"""Who reads which report, and what was mailed to whom."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"

LOST = {
    "readers": "SELECT count(*) FROM reader",
    "beginnings and ends of readerships": "SELECT count(*) FROM readership",
    "mails to readers": "SELECT count(*) FROM mailing",
}


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "reader",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("address", sa.String(), nullable=True),
        sa.Column("name", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.PrimaryKeyConstraint("id", name="pk_reader"),
        sa.UniqueConstraint("address", name="uq_reader_address"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "readership",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("is_reading", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_readership_person_id"),
        sa.ForeignKeyConstraint(["reader_id"], ["reader.id"], name="fk_readership_reader_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_readership_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_readership"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_readership_report_id_reader_id_id", "readership", ["report_id", "reader_id", "id"])
    op.create_table(
        "mailing",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("reader_id", sa.Integer(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("changed_at", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.CheckConstraint(
            "state IN ('pending', 'sending', 'sent', 'refused', 'unsure', 'given up')", name=op.f("ck_mailing_state")
        ),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_mailing_issue_id"),
        sa.ForeignKeyConstraint(["reader_id"], ["reader.id"], name="fk_mailing_reader_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_mailing_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_mailing"),
        sa.UniqueConstraint("report_id", "issue_id", "reader_id", name="uq_mailing_report_id_issue_id_reader_id"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take the tables away."""
    for table in ("mailing", "readership", "reader"):
        op.drop_table(table)
