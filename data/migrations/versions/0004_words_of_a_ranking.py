"""The words that spoke most for a report, kept with each ranking."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"

LOST = {"rankings with their words": "SELECT count(*) FROM ranking WHERE words <> ''"}


def upgrade() -> None:
    """Add the column; older rankings have no words."""
    op.add_column("ranking", sa.Column("words", sa.String(), nullable=False, server_default=sa.text("''")))


def downgrade() -> None:
    """Take the column away."""
    op.drop_column("ranking", "words")
