"""How many papers a ranking knew of the issues before, so that one made without some of them is sorted again."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"


def upgrade() -> None:
    """Add the column; what older rankings knew is not known."""
    op.add_column("ranking", sa.Column("n_past", sa.Integer(), nullable=True))


def downgrade() -> None:
    """Take the column away; it is of no use to who does not know it."""
    op.drop_column("ranking", "n_past")
