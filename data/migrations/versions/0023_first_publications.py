"""What was shown and known when report issues were first published: figures and later rankings go by it.

The logs tell it of what was published before by their times.
"""

from bisect import bisect_right
from itertools import accumulate

import sqlalchemy as sa
from alembic import op

from presort.data.tables import guards, postgresql
from presort.data.tables.base import PLAIN, NoBytes

revision = "0023"
down_revision = "0022"

PUBLISHED = """
SELECT o.report_id, o.issue_id, o.ranking_id, o.source, o.issued_at, o.n_papers, o.unread, o.ended
FROM report_issue o
WHERE NOT EXISTS (SELECT 1 FROM reopened_issue r WHERE r.report_id = o.report_id AND r.issue_id = o.issue_id)
UNION ALL
SELECT r.report_id, r.issue_id, r.ranking_id, r.source, r.issued_at,
    coalesce(o.n_papers, (SELECT count(*) FROM listing l WHERE l.issue_id = r.issue_id)), o.unread, o.ended
FROM reopened_issue r LEFT JOIN report_issue o ON o.report_id = r.report_id AND o.issue_id = r.issue_id
WHERE r.id IN (SELECT min(id) FROM reopened_issue GROUP BY report_id, issue_id)
ORDER BY 1, 2
"""
ADD = """
INSERT INTO first_publication (report_id, issue_id, ranking_id, source, decisions_up_to, hints_up_to, rankings_up_to,
    n_papers, unread, ended)
VALUES (:report, :issue, :ranking, :source, :decision, :hint, :newest, :n_papers, :unread, :ended)
"""


def upgrade() -> None:
    """Make the table, and fill it from the logs."""
    number = sa.BigInteger().with_variant(sa.Integer(), "sqlite")
    is_file = op.get_bind().dialect.name == "sqlite"
    op.create_table(
        "first_publication",
        sa.Column("report_id", number, nullable=False),
        sa.Column("issue_id", number, nullable=False),
        sa.Column("ranking_id", number, nullable=True),
        sa.Column("source", PLAIN, nullable=False),
        *(sa.Column(f"{log}_up_to", number, nullable=False) for log in ("decisions", "hints", "rankings")),
        sa.Column("n_papers", number, nullable=False),
        sa.Column("unread", sa.LargeBinary(), server_default=NoBytes(), nullable=False),
        sa.Column("ended", PLAIN, server_default=sa.text("'all'"), nullable=False),
        sa.CheckConstraint("source IN ('desk', 'file', 'rule')", name=op.f("ck_first_publication_source")),
        sa.CheckConstraint("ended IN ('all', 'told', 'early')", name=op.f("ck_first_publication_ended")),
        sa.ForeignKeyConstraint(
            ["ranking_id", "report_id", "issue_id"],
            ["ranking.id", "ranking.report_id", "ranking.issue_id"],
            name=op.f("fk_first_publication_ranking_id"),
        ),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name=op.f("fk_first_publication_report_id")),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name=op.f("fk_first_publication_issue_id")),
        sa.PrimaryKeyConstraint("report_id", "issue_id", name=op.f("pk_first_publication")),
    )
    _fill(op.get_bind())
    refusing = (guards if is_file else postgresql).placed_in_issue(guards.PackedList("first_publication", "unread"))
    for statement in refusing:
        op.get_bind().exec_driver_sql(statement)


def downgrade() -> None:
    """Take the table away; the logs tell most of it by their times."""
    op.drop_table("first_publication")
    if op.get_bind().dialect.name != "sqlite":
        op.execute("DROP FUNCTION refuse_first_publication_unread")


def _fill(connection: sa.Connection) -> None:
    logs = {name: _Log.of(connection, name) for name in ("decision", "hint", "ranking")}
    rows = [
        {
            "report": row.report_id,
            "issue": row.issue_id,
            "ranking": row.ranking_id,
            "source": row.source,
            "decision": logs["decision"].newest_at(row.issued_at),
            "hint": logs["hint"].newest_at(row.issued_at),
            "newest": logs["ranking"].newest_at(row.issued_at),
            "n_papers": row.n_papers,
            "unread": row.unread or b"",
            "ended": row.ended or "all",
        }
        for row in connection.execute(sa.text(PUBLISHED))
    ]
    if rows:
        connection.execute(sa.text(ADD), rows)


class _Log:
    """The newest number of a log at each time."""

    def __init__(self, times: list[str], numbers: list[int]) -> None:
        self.times, self.numbers = times, numbers

    @classmethod
    def of(cls, connection: sa.Connection, log: str) -> "_Log":
        query = f"SELECT made_at, max(id) FROM {log} GROUP BY made_at ORDER BY made_at"
        rows = connection.execute(sa.text(query)).all()
        return cls([time for time, _ in rows], [*accumulate((number for _, number in rows), max)])

    def newest_at(self, time: str) -> int:
        place = bisect_right(self.times, time)
        return self.numbers[place - 1] if place else 0
