"""Kept tokens of papers, and editors' hints."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"

LOST = {
    "hints of editors": "SELECT count(*) FROM hint",
    "papers taken apart, which is done again": "SELECT count(*) FROM paper_tokens",
}


def upgrade() -> None:
    """Make the tables, and say of the rankings there are that they heeded no hint."""
    op.create_table(
        "token",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_token"),
        sa.UniqueConstraint("text", name="uq_token_text"),
    )
    op.create_table(
        "paper_tokens",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("title", sa.LargeBinary(), nullable=False),
        sa.Column("abstract", sa.LargeBinary(), nullable=False),
        sa.Column("authors", sa.LargeBinary(), nullable=False),
        sa.Column("codes", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name="fk_paper_tokens_paper_id"),
        sa.PrimaryKeyConstraint("paper_id", name="pk_paper_tokens"),
    )
    op.create_table(
        "hint",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.CheckConstraint("kind IN ('mute', 'boost', 'seed', 'none')", name=op.f("ck_hint_kind")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_hint_person_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_hint_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_hint"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_hint_report_id_text_id", "hint", ["report_id", "text", "id"])
    # Other tables point to this one: a column is added in place, the table is not built anew.
    op.add_column("ranking", sa.Column("hints_up_to", sa.Integer(), nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    """Take the tables and the column away."""
    op.drop_column("ranking", "hints_up_to")
    for table in ("hint", "paper_tokens", "token"):
        op.drop_table(table)
