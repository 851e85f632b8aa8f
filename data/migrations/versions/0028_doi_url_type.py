"""The address and the type of a paper. A DOI that is the id of a paper is stored in the column of DOIs, too.

Until now only the id said it, so that each reader of the column had to look there as well.
"""

import sqlalchemy as sa
from alembic import op

from presort.data.index.keys import plain_doi
from presort.data.tables.base import PLAIN

revision = "0028"
down_revision = "0027"

LOST = {
    "addresses of papers": "SELECT count(*) FROM paper WHERE url <> ''",
    "types of papers": "SELECT count(*) FROM paper WHERE type <> ''",
}
WITHOUT_DOI = "SELECT id, paper_id FROM paper WHERE doi = '' AND paper_id LIKE '%10.%'"


def upgrade() -> None:
    """Add the columns, empty, and fill in the DOIs that ids say; the index has them already."""
    for name in ("url", "type"):
        op.add_column("paper", sa.Column(name, PLAIN, server_default=sa.text("''"), nullable=False))
    connection = op.get_bind()
    rows = connection.execute(sa.text(WITHOUT_DOI)).all()
    if known := [{"number": number, "doi": doi} for number, paper_id in rows if (doi := plain_doi(paper_id))]:
        connection.execute(sa.text("UPDATE paper SET doi = :doi WHERE id = :number"), known)


def downgrade() -> None:
    """Drop the columns; older versions read the DOIs that were filled in."""
    for name in ("url", "type"):
        op.drop_column("paper", name)
