"""Papers that may be duplicates of others, and what a person decided on them."""

import sqlalchemy as sa
from alembic import op

from presort.data.tables.base import PLAIN

revision = "0027"
down_revision = "0026"

LOST = {"possible duplicates": "SELECT count(*) FROM possible_duplicate"}


def upgrade() -> None:
    """Make the table."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    op.create_table(
        "possible_duplicate",
        sa.Column("paper_id", number, nullable=False),
        sa.Column("other_id", number, nullable=False),
        sa.Column("how", PLAIN, nullable=False),
        sa.Column("score", sa.Float(), nullable=False),
        sa.Column("made_at", PLAIN, nullable=False),
        sa.Column("is_duplicate", sa.Boolean(), nullable=True),
        sa.Column("decided_at", PLAIN, nullable=True),
        sa.Column("decided_by", number, nullable=True),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name=op.f("fk_possible_duplicate_paper_id_paper")),
        sa.ForeignKeyConstraint(["other_id"], ["paper.id"], name=op.f("fk_possible_duplicate_other_id_paper")),
        sa.ForeignKeyConstraint(["decided_by"], ["person.id"], name=op.f("fk_possible_duplicate_decided_by_person")),
        sa.PrimaryKeyConstraint("paper_id", name=op.f("pk_possible_duplicate")),
    )
    op.create_index(op.f("ix_possible_duplicate_other_id"), "possible_duplicate", ["other_id"])


def downgrade() -> None:
    """Take the table away; both papers of each pair stay listed."""
    op.drop_table("possible_duplicate")
