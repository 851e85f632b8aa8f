"""Where decisions come from, and a database that refuses what does not fit: keys over several columns, and triggers."""

from collections.abc import Sequence

import sqlalchemy as sa
from alembic import op
from sqlalchemy.sql.schema import SchemaItem

from presort.data.errors import WorkspaceError
from presort.data.tables.guards import DENSE_POSITIONS, append_only

revision = "0008"
down_revision = "0007"

LOST = {"decisions of which it is known where they come from, which is guessed then": "SELECT count(*) FROM decision"}

LOGS = (
    *("listing", "decision", "paper_note", "criteria", "hint", "draft", "reopened_issue"),
    *("imported_file", "ranker_choice", "editorship", "holiday", "readership"),
)

# What each table points to by one column alone, as it did before.
POINTED_TO = {
    "decision": ("issue", "paper", "ranking"),
    "paper_note": ("issue", "paper"),
    "report_issue": ("ranking",),
    "reopened_issue": ("ranking",),
}

# What the new rules would refuse: how many rows, and the first of them.
WRONG = {
    "decisions on papers that their issue does not list": """
        SELECT count(*), min(o.id) FROM decision o
            LEFT JOIN listing l ON l.issue_id = o.issue_id AND l.paper_id = o.paper_id
        WHERE l.paper_id IS NULL""",
    "tags or notes on papers that their issue does not list": """
        SELECT count(*), min(o.id) FROM paper_note o
            LEFT JOIN listing l ON l.issue_id = o.issue_id AND l.paper_id = o.paper_id
        WHERE l.paper_id IS NULL""",
    **{
        f"{what} with a ranking of another report or issue": f"""
            SELECT count(*), min(o.rowid) FROM {table} o LEFT JOIN ranking r
                ON r.id = o.ranking_id AND r.report_id = o.report_id AND r.issue_id = o.issue_id
            WHERE o.ranking_id IS NOT NULL AND r.id IS NULL"""
        for table, what in (
            ("decision", "decisions"),
            ("report_issue", "report issues"),
            ("reopened_issue", "reopened report issues"),
        )
    },
    "issues whose list has a gap": """
        SELECT count(*), min(issue_id) FROM (
            SELECT issue_id FROM listing GROUP BY issue_id HAVING min(position) <> 1 OR max(position) <> count(*))""",
}

# Until now it could only be guessed. The desk gives each decision on relevance a number of its own, an import none;
# what went out is written to the log at the very moment of issuing.
OF_DECISION = """
CASE WHEN about = 'publish' AND (
        EXISTS (SELECT 1 FROM report_issue t
            WHERE t.report_id = d.report_id AND t.issue_id = d.issue_id AND t.issued_at = d.made_at)
        OR EXISTS (SELECT 1 FROM reopened_issue t
            WHERE t.report_id = d.report_id AND t.issue_id = d.issue_id AND t.issued_at = d.made_at)) THEN 'rule'
    WHEN about = 'relevant' AND word = 'yes' AND client_id IS NULL AND ranking_id IS NULL THEN 'file'
    ELSE 'desk' END
"""

# An import sends out nothing by itself and knows no order, and it leaves alone what was ever reopened.
OF_ISSUING = """
CASE WHEN t.ranking_id IS NULL AND t.published = x'' AND t.note = ''
        AND EXISTS (SELECT 1 FROM decision d
            WHERE d.report_id = t.report_id AND d.issue_id = t.issue_id AND d.source = 'file')
        AND NOT EXISTS (SELECT 1 FROM decision d
            WHERE d.report_id = t.report_id AND d.issue_id = t.issue_id AND d.made_at = t.issued_at
                AND d.source = 'rule')
        AND NOT EXISTS (SELECT 1 FROM reopened_issue r
            WHERE r.report_id = t.report_id AND r.issue_id = t.issue_id {earlier}) THEN 'file'
    ELSE 'desk' END
"""


def upgrade() -> None:
    """Build the tables anew that get other keys, tell of each row where it comes from, and guard them."""
    # Tokens of a removed paper, which are made again when they are needed; nothing else may be left over.
    op.execute("DELETE FROM paper_tokens WHERE paper_id NOT IN (SELECT id FROM paper)")
    _refuse_what_does_not_fit(op.get_bind())
    op.create_index("ix_ranking_id_report_id_issue_id", "ranking", ["id", "report_id", "issue_id"], unique=True)
    op.create_index("ix_paper_copy_same_as", "paper_copy", ["same_as"])
    _build_listing()
    _build_decision()
    _build_paper_note()
    _build_report_issue()
    _build_reopened_issue()
    op.execute(DENSE_POSITIONS)
    for table in LOGS:
        for statement in append_only(table):
            op.execute(statement)


def downgrade() -> None:
    """Build the tables anew as they were, those that point to lists first, and guard nothing."""
    for table in set(LOGS) - {"listing", *POINTED_TO}:
        for change in ("update", "delete"):
            op.execute(f"DROP TRIGGER {table}_{change}")
    for table, parents in POINTED_TO.items():
        with op.batch_alter_table(table, table_kwargs={"sqlite_autoincrement": table != "report_issue"}) as batch:
            if table != "paper_note":
                batch.drop_constraint(op.f(f"ck_{table}_source"), type_="check")
                batch.drop_column("source")
            for parent in set(parents) - {"paper"}:
                batch.drop_constraint(f"fk_{table}_{parent}_id", type_="foreignkey")
            for parent in parents:
                batch.create_foreign_key(f"fk_{table}_{parent}_id", parent, [f"{parent}_id"], ["id"])
    with op.batch_alter_table("listing", table_kwargs={"sqlite_with_rowid": False}) as batch:
        batch.drop_constraint("uq_listing_paper_id_issue_id", type_="unique")
        batch.create_unique_constraint("uq_listing_issue_id_paper_id", ["issue_id", "paper_id"])
    op.drop_index("ix_paper_copy_same_as", "paper_copy")
    op.drop_index("ix_ranking_id_report_id_issue_id", "ranking")


def _refuse_what_does_not_fit(connection: sa.Connection) -> None:
    found = [
        f"row {row} of {table} points to a row of {parent} that is missing"
        for table, row, parent, _ in connection.exec_driver_sql("PRAGMA foreign_key_check")
    ][:1]
    for what, query in WRONG.items():
        n, first = connection.exec_driver_sql(query).one()
        if n:
            found.append(f"{n:,} {what}, the first is number {first}")
    if found:
        raise WorkspaceError(
            f"{connection.engine.url.database} holds what this Presort refuses: {'; '.join(found)}. "
            "Nothing was changed. Put back a backup, or go on with the Presort that wrote it."
        )


def _rebuild(table: str, columns: Sequence[SchemaItem], query: str, **options: bool) -> None:
    """Build a table anew and fill it; its indexes go with the old one."""
    op.create_table(f"new_{table}", *columns, **options)
    op.execute(f"INSERT INTO new_{table} {query}")
    op.drop_table(table)
    op.rename_table(f"new_{table}", table)


def _listed(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["issue_id", "paper_id"], ["listing.issue_id", "listing.paper_id"], name=f"fk_{table}_issue_id"
    )


def _ranked(table: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint(
        ["ranking_id", "report_id", "issue_id"],
        ["ranking.id", "ranking.report_id", "ranking.issue_id"],
        name=f"fk_{table}_ranking_id",
    )


def _points(table: str, column: str, parent: str) -> sa.ForeignKeyConstraint:
    return sa.ForeignKeyConstraint([column], [f"{parent}.id"], name=f"fk_{table}_{column}")


def _sourced(table: str) -> sa.CheckConstraint:
    return sa.CheckConstraint("source IN ('desk', 'file', 'rule')", name=op.f(f"ck_{table}_source"))


def _build_listing() -> None:
    columns = (
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        _points("listing", "issue_id", "issue"),
        _points("listing", "paper_id", "paper"),
        sa.PrimaryKeyConstraint("issue_id", "position", name="pk_listing"),
        sa.UniqueConstraint("paper_id", "issue_id", name="uq_listing_paper_id_issue_id"),
    )
    query = "SELECT issue_id, position, paper_id FROM listing ORDER BY issue_id, position"
    _rebuild("listing", columns, query, sqlite_with_rowid=False)


def _build_decision() -> None:
    columns = (
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.String(), nullable=True),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("word", sa.String(), nullable=False),
        sa.Column("ranking_id", sa.Integer(), nullable=True),
        sa.Column("source", sa.String(), nullable=False),
        sa.CheckConstraint(
            "(about = 'relevant' AND word IN ('yes', 'no', 'maybe', 'undecided')) "
            "OR (about = 'publish' AND word IN ('yes', 'no'))",
            name=op.f("ck_decision_word"),
        ),
        _sourced("decision"),
        _listed("decision"),
        _ranked("decision"),
        _points("decision", "person_id", "person"),
        _points("decision", "report_id", "report"),
        sa.PrimaryKeyConstraint("id", name="pk_decision"),
    )
    query = f"SELECT d.*, {OF_DECISION} FROM decision d ORDER BY id"
    _rebuild("decision", columns, query, sqlite_autoincrement=True)
    is_given = sa.text("client_id IS NOT NULL")
    op.create_index("ix_decision_client_id", "decision", ["client_id"], unique=True, sqlite_where=is_given)
    about = ["report_id", "issue_id", "paper_id", "about", "id"]
    op.create_index("ix_decision_report_id_issue_id_paper_id_about_id", "decision", about)


def _build_paper_note() -> None:
    columns = (
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.String(), nullable=True),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("kind", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.CheckConstraint("kind IN ('tag', 'untag', 'note')", name=op.f("ck_paper_note_kind")),
        _listed("paper_note"),
        _points("paper_note", "person_id", "person"),
        _points("paper_note", "report_id", "report"),
        sa.PrimaryKeyConstraint("id", name="pk_paper_note"),
    )
    _rebuild("paper_note", columns, "SELECT * FROM paper_note ORDER BY id", sqlite_autoincrement=True)
    is_given = sa.text("client_id IS NOT NULL")
    op.create_index("ix_paper_note_client_id", "paper_note", ["client_id"], unique=True, sqlite_where=is_given)
    of_paper = ["report_id", "issue_id", "paper_id", "id"]
    op.create_index("ix_paper_note_report_id_issue_id_paper_id_id", "paper_note", of_paper)


def _build_report_issue() -> None:
    columns = (
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("ranking_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("issued_at", sa.String(), nullable=False),
        sa.Column("published", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.String(), nullable=False, server_default=sa.text("''")),
        sa.Column("source", sa.String(), nullable=False),
        _sourced("report_issue"),
        _ranked("report_issue"),
        _points("report_issue", "report_id", "report"),
        _points("report_issue", "issue_id", "issue"),
        _points("report_issue", "person_id", "person"),
        sa.PrimaryKeyConstraint("report_id", "issue_id", name="pk_report_issue"),
    )
    _rebuild("report_issue", columns, f"SELECT t.*, {OF_ISSUING.format(earlier='')} FROM report_issue t")


def _build_reopened_issue() -> None:
    columns = (
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("ranking_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("issued_at", sa.String(), nullable=False),
        sa.Column("published", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("reopened_by", sa.Integer(), nullable=False),
        sa.Column("reopened_at", sa.String(), nullable=False),
        sa.Column("reason", sa.String(), nullable=False),
        sa.Column("source", sa.String(), nullable=False),
        _sourced("reopened_issue"),
        _ranked("reopened_issue"),
        _points("reopened_issue", "report_id", "report"),
        _points("reopened_issue", "issue_id", "issue"),
        _points("reopened_issue", "person_id", "person"),
        _points("reopened_issue", "reopened_by", "person"),
        sa.PrimaryKeyConstraint("id", name="pk_reopened_issue"),
    )
    query = f"SELECT t.*, {OF_ISSUING.format(earlier='AND r.id < t.id')} FROM reopened_issue t ORDER BY id"
    _rebuild("reopened_issue", columns, query, sqlite_autoincrement=True)
    of_issue = ["report_id", "issue_id", "id"]
    op.create_index("ix_reopened_issue_report_id_issue_id_id", "reopened_issue", of_issue)
