"""Outcomes and promises carry the number of the change that made them, by which a cache knows them.

It was the time at which an outcome was made. A clock that was ahead once hid all outcomes that came after it.
"""

import sqlalchemy as sa
from alembic import op

revision = "0024"
down_revision = "0023"

TABLES = ("outcome", "promise")


def upgrade() -> None:
    """Add the numbers, 0 for all rows that are there: each later change has a higher one."""
    op.drop_index("ix_outcome_scored_at", "outcome")
    for table in TABLES:
        number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
        op.add_column(table, sa.Column("revision", number, nullable=False, server_default=sa.text("0")))
        op.create_index(f"ix_{table}_revision", table, ["revision"])


def downgrade() -> None:
    """Drop the numbers."""
    for table in TABLES:
        op.drop_index(f"ix_{table}_revision", table)
        op.drop_column(table, "revision")
    op.create_index("ix_outcome_scored_at", "outcome", ["scored_at"])
