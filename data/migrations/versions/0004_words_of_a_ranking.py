"""The words that spoke most for a report, kept with each ranking."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"


def upgrade() -> None:
    """Add the column; older rankings have no words."""
    op.add_column("ranking", sa.Column("words", sa.String(), nullable=False, server_default=sa.text("''")))
