"""How far a report issue was read when it went out, and what was told of where to stop.

Editors chose a chance to have seen all papers; now they choose how many may be missed.
"""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"

LOST = {
    "promises of where to stop": "SELECT count(*) FROM promise",
    "report issues that were read as far as told": "SELECT count(*) FROM report_issue WHERE ended = 'told'",
    "choices to miss 1 in 10 or 20, which become less": """
        SELECT count(*) FROM setting WHERE name LIKE 'may-miss:%' AND value IN ('1 in 10', '1 in 20')""",
}


def upgrade() -> None:
    """Add the columns and the table. So far, what was not read was kept only where reading ended early."""
    with op.batch_alter_table("report_issue") as table:
        table.add_column(sa.Column("ended", sa.String(), nullable=False, server_default=sa.text("'all'")))
        table.add_column(sa.Column("stop_at", sa.Integer(), nullable=True))
        table.create_check_constraint(op.f("ck_report_issue_ended"), "ended IN ('all', 'told', 'early')")
    op.execute("UPDATE report_issue SET ended = 'early' WHERE length(unread) > 0")
    # The choice under which about as much is read.
    op.execute(
        "UPDATE setting SET name = 'may-miss:' || substr(name, 7), "
        "value = CASE WHEN value IN ('80', '90') THEN '1 in 100' ELSE 'none' END WHERE name LIKE 'level:%'"
    )
    op.create_table(
        "promise",
        sa.Column("ranking_id", sa.Integer(), nullable=False),
        sa.Column("n_read_below", sa.Integer(), nullable=False),
        sa.Column("told_below", sa.Double(), nullable=False),
        sa.Column("found_below", sa.Integer(), nullable=False),
        sa.Column("found", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["ranking_id"], ["outcome.ranking_id"], ondelete="CASCADE"),
        sa.PrimaryKeyConstraint("ranking_id"),
    )


def downgrade() -> None:
    """Take the columns and the table away, and name a chance under which about as much is read."""
    op.drop_table("promise")
    op.execute(
        "UPDATE setting SET name = 'level:' || substr(name, 10), "
        "value = CASE value WHEN 'none' THEN '95' WHEN '1 in 100' THEN '90' ELSE '80' END "
        "WHERE name LIKE 'may-miss:%'"
    )
    with op.batch_alter_table("report_issue") as table:
        table.drop_constraint(op.f("ck_report_issue_ended"), type_="check")
        table.drop_column("stop_at")
        table.drop_column("ended")
