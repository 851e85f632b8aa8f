"""What measures say of each outcome, kept beside it; made of the outcomes, by whoever knows the measures."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"


def upgrade() -> None:
    """Make the table, empty: what is not kept yet is measured where it is asked for."""
    op.create_table(
        "outcome_scores",
        sa.Column("ranking_id", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("numbers", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(
            ["ranking_id"],
            ["outcome.ranking_id"],
            name=op.f("fk_outcome_scores_ranking_id"),
            ondelete="CASCADE",
        ),
        sa.PrimaryKeyConstraint("ranking_id", name=op.f("pk_outcome_scores")),
    )


def downgrade() -> None:
    """Take the table away, and the name of the measures."""
    op.drop_table("outcome_scores")
    op.execute("DELETE FROM setting WHERE name = 'outcome-scores'")
