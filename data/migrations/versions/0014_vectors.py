"""Sentence vectors of papers, for a service that brings a model."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"

LOST = {"sentence vectors of papers, which are made again": "SELECT count(*) FROM paper_vector"}


def upgrade() -> None:
    """Add the table."""
    op.create_table(
        "paper_vector",
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_paper_vector_paper_id_paper")),
        sa.PrimaryKeyConstraint("paper_id", name=op.f("pk_paper_vector")),
    )


def downgrade() -> None:
    """Take the table away."""
    op.drop_table("paper_vector")
