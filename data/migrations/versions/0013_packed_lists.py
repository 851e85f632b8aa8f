"""Packed lists that name papers of their issue, each once; 'presort db check' names older ones that don't."""

from alembic import op

from presort.data.tables.guards import PACKED_LISTS, placed_in_issue

revision = "0013"
down_revision = "0012"

COLUMNS = {
    ("ranking", "positions"),
    ("outcome", "places"),
    ("report_issue", "published"),
    ("report_issue", "unread"),
    ("reopened_issue", "published"),
    ("draft", "positions"),
    ("draw", "positions"),
}


def upgrade() -> None:
    """Make the triggers."""
    for packed in PACKED_LISTS:
        if (packed.table, packed.column) in COLUMNS:
            for statement in placed_in_issue(packed):
                op.execute(statement)


def downgrade() -> None:
    """Take the triggers away."""
    for table, column in COLUMNS:
        for change in ("insert", "update"):
            op.execute(f"DROP TRIGGER {table}_{column}_{change}")
