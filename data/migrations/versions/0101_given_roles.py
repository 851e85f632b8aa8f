"""Roles from the sign-in provider, and the accounts of removed people, which are not given any roles."""

import sqlalchemy as sa
from alembic import op

from presort.data.tables.base import PLAIN

revision = "0101"
down_revision = "0100"


def upgrade() -> None:
    """Add the two columns and the table."""
    op.add_column("identity", sa.Column("given", PLAIN, server_default=sa.text("''"), nullable=False))
    op.add_column("identity", sa.Column("given_until", PLAIN, nullable=True))
    op.create_table(
        "removed_account",
        sa.Column("digest", PLAIN, nullable=False),
        sa.PrimaryKeyConstraint("digest", name="pk_removed_account"),
    )
