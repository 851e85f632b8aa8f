"""How much of a report issue had been read before it was reopened: it still counts when it is published again."""

import sqlalchemy as sa
from alembic import op

from presort.data.tables import guards, postgresql
from presort.data.tables.base import PLAIN, NoBytes

revision = "0026"
down_revision = "0025"

LOST = {
    "reopened report issues of which it was known how far they were read": """
        SELECT count(*) FROM reopened_issue WHERE n_papers > 0"""
}

# An import counts as read in full. How many papers its issue had when it was reopened was not stored: at most as many
# as when it was published again, or as there are now.
IMPORTED = """
UPDATE reopened_issue SET n_papers = coalesce(
    (SELECT t.n_papers FROM report_issue t
        WHERE t.report_id = reopened_issue.report_id AND t.issue_id = reopened_issue.issue_id AND t.n_papers > 0),
    (SELECT count(*) FROM listing l WHERE l.issue_id = reopened_issue.issue_id))
WHERE source = 'file'
"""
DECIDED = """
UPDATE reopened_issue SET decisions_up_to = coalesce((
    SELECT max(d.id) FROM decision d WHERE d.report_id = reopened_issue.report_id
        AND d.issue_id = reopened_issue.issue_id AND d.made_at <= reopened_issue.reopened_at), 0)
"""
UNREAD = guards.PackedList("reopened_issue", "unread")


def upgrade() -> None:
    """Add the columns, and fill in what earlier versions did not store but the other tables tell."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    for column in (
        sa.Column("n_papers", number, nullable=False, server_default=sa.text("0")),
        sa.Column("unread", sa.LargeBinary(), nullable=False, server_default=NoBytes()),
        sa.Column("ended", PLAIN, nullable=False, server_default=sa.text("'all'")),
        sa.Column("stop_at", number, nullable=True),
        sa.Column("decisions_up_to", number, nullable=False, server_default=sa.text("0")),
    ):
        op.add_column("reopened_issue", column)
    _run(_let_change())  # the table is a log, and its triggers refuse every update
    _run([IMPORTED, DECIDED])
    tables = guards if _is_file() else postgresql
    _run([*tables.append_only("reopened_issue"), *tables.placed_in_issue(UNREAD)])


def downgrade() -> None:
    """Drop the columns."""
    if _is_file():
        _run([f"DROP TRIGGER reopened_issue_unread_{change}" for change in ("insert", "update")])
    else:
        _run(["DROP TRIGGER reopened_issue_unread ON reopened_issue", "DROP FUNCTION refuse_reopened_issue_unread"])
    for name in ("n_papers", "unread", "ended", "stop_at", "decisions_up_to"):
        op.drop_column("reopened_issue", name)


def _let_change() -> list[str]:
    if _is_file():
        return [f"DROP TRIGGER reopened_issue_{change}" for change in ("update", "delete")]
    return [f"DROP TRIGGER reopened_issue_{change} ON reopened_issue" for change in postgresql.CHANGES]


def _is_file() -> bool:
    return op.get_bind().dialect.name == "sqlite"


def _run(statements: list[str]) -> None:
    for statement in statements:
        op.get_bind().exec_driver_sql(statement)
