"""An index of papers by words, id and DOI: copies and words of titles are looked up, not read out of all papers."""

import sqlalchemy as sa
from alembic import op

from presort.data.index import paper_index

revision = "0019"
down_revision = "0018"


def upgrade() -> None:
    """Make the table, and put all papers into it."""
    text = sa.String().with_variant(sa.String(collation="C"), "postgresql")
    op.create_table(
        "paper_index",
        sa.Column("kind", text, nullable=False),
        sa.Column("key", text, nullable=False),
        sa.Column("block", sa.BigInteger().with_variant(sa.Integer(), "sqlite"), nullable=False),
        sa.Column("papers", sa.LargeBinary(), nullable=False),
        sa.PrimaryKeyConstraint("kind", "key", "block", name=op.f("pk_paper_index")),
    )
    paper_index.fill(op.get_bind())


def downgrade() -> None:
    """Take the table away; it is made of papers."""
    op.drop_table("paper_index")
