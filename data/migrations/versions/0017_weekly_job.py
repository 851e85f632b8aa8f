"""The weekly job: its steps, what was told to whom by mail, and the mail addresses of editors."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"

LOST = {
    "mail addresses of editors": "SELECT count(*) FROM person WHERE address <> ''",
    "steps of weekly jobs": "SELECT count(*) FROM weekly_step",
    "notices to editors and directors": "SELECT count(*) FROM notice",
}


def upgrade() -> None:
    """Add the column and the tables."""
    op.add_column("person", sa.Column("address", sa.String(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "weekly_step",
        sa.Column("week", sa.Date(), nullable=False),
        sa.Column("step", sa.String(), nullable=False),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("began_at", sa.String(), nullable=False),
        sa.Column("ended_at", sa.String(), nullable=True),
        sa.Column("said", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.CheckConstraint("state IN ('running', 'done', 'passed over', 'failed')", name=op.f("ck_weekly_step_state")),
        sa.PrimaryKeyConstraint("week", "step", name=op.f("pk_weekly_step")),
    )
    op.create_table(
        "notice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=True),
        sa.Column("day", sa.Date(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=True),
        sa.Column("state", sa.String(), nullable=False),
        sa.Column("changed_at", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.CheckConstraint("kind IN ('waits', 'late', 'very late', 'summary')", name=op.f("ck_notice_kind")),
        sa.CheckConstraint(
            "state IN ('sending', 'sent', 'refused', 'unsure', 'pending')", name=op.f("ck_notice_state")
        ),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name=op.f("fk_notice_report_id_report")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_notice_person_id_person")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_notice")),
    )
    op.create_index(op.f("ix_notice_day"), "notice", ["day"])


def downgrade() -> None:
    """Take the column and the tables away."""
    op.drop_table("notice")
    op.drop_table("weekly_step")
    op.drop_column("person", "address")
