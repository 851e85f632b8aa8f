"""What measures say of each outcome, kept beside it; and indexes for what every page asks.

The scores are made of the outcomes, by whoever knows the measures. The index of replays was taken for the quickest way
to an issue's rankings for editors, and led through all there ever were: it holds those of replays only now.
"""

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
    op.create_index("ix_outcome_scored_at", "outcome", ["scored_at"])
    of_replay = sa.text("replay_id IS NOT NULL")
    op.drop_index("ix_ranking_replay_id", "ranking")
    op.create_index(
        "ix_ranking_replay_id", "ranking", ["replay_id"], sqlite_where=of_replay, postgresql_where=of_replay
    )


def downgrade() -> None:
    """Take the table away, and the name of the measures; the indexes are as they were."""
    op.drop_table("outcome_scores")
    op.execute("DELETE FROM setting WHERE name = 'outcome-scores'")
    op.drop_index("ix_outcome_scored_at", "outcome")
    op.drop_index("ix_ranking_replay_id", "ranking")
    op.create_index("ix_ranking_replay_id", "ranking", ["replay_id"])
