"""A decision on a paper that was found by a search or a filter tells nothing of the papers above it."""

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"

LOST = {
    "decisions on papers found by a search, which then tell of those above": """
    SELECT count(*) FROM decision WHERE is_alone"""
}


def upgrade() -> None:
    """Add the column. Of older decisions it is not known, and they tell what they told."""
    op.add_column("decision", sa.Column("is_alone", sa.Boolean(), nullable=False, server_default=sa.text("0")))


def downgrade() -> None:
    """Take the column away."""
    op.drop_column("decision", "is_alone")
