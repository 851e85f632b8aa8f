"""Baseline: all tables of version 0.1.0.

This migration runs only on empty databases. It creates the current tables of `presort.data.tables`. Then
`presort.data.store.migrate` stamps the newest revision, so that later migrations don't run on the new tables.
"""

from alembic import op

from presort.data.tables.making import make_tables

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Create all tables and triggers."""
    make_tables(op.get_bind())
