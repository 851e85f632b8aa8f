"""The baseline: every table of version 0.1.0, as declared in `presort.data.tables`.

Only an empty database gets here. It gets the tables as they are declared now, and the stamp of the newest revision, so
that no later migration runs on it: see `presort.data.store.migrate`.
"""

from alembic import op

from presort.data.tables.making import make_tables

revision = "0100"
down_revision = None


def upgrade() -> None:
    """Create every table with its triggers."""
    make_tables(op.get_bind())
