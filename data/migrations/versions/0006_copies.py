"""Copies of papers known before, and DOIs to find them by."""

import sqlalchemy as sa
from alembic import op

revision = "0006"
down_revision = "0005"

LOST = {
    "copies of papers": "SELECT count(*) FROM paper_copy",
    "DOIs of papers": "SELECT count(*) FROM paper WHERE doi <> ''",
}


def upgrade() -> None:
    """Make the table, and the columns that papers and imported files get."""
    op.add_column("paper", sa.Column("doi", sa.String(), nullable=False, server_default=sa.text("''")))
    op.add_column("imported_file", sa.Column("matched", sa.Integer(), nullable=False, server_default=sa.text("0")))
    op.create_table(
        "paper_copy",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("same_as", sa.Integer(), nullable=False),
        sa.Column("how", sa.String(), nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("undone_at", sa.String(), nullable=True),
        sa.Column("undone_by", sa.Integer(), nullable=True),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_paper_copy_issue_id"),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name="fk_paper_copy_paper_id"),
        sa.ForeignKeyConstraint(["same_as"], ["paper.id"], name="fk_paper_copy_same_as"),
        sa.ForeignKeyConstraint(["undone_by"], ["person.id"], name="fk_paper_copy_undone_by"),
        sa.PrimaryKeyConstraint("paper_id", "issue_id", name="pk_paper_copy"),
    )
    op.create_index("ix_paper_copy_issue_id", "paper_copy", ["issue_id"])


def downgrade() -> None:
    """Take the table and the columns away; copies stay as papers that no issue lists."""
    op.drop_table("paper_copy")
    op.drop_column("imported_file", "matched")
    op.drop_column("paper", "doi")
