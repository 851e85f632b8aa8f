"""What editors do at the desk beside deciding: drafts, reopening, tags and notes, criteria, preferences."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"

LOST = {
    "tags and notes": "SELECT count(*) FROM paper_note",
    "criteria of reports": "SELECT count(*) FROM criteria",
    "preferences": "SELECT count(*) FROM preference",
    "drafts": "SELECT count(*) FROM draft",
    "report issues that were reopened": "SELECT count(*) FROM reopened_issue",
    "notes of report issues": "SELECT count(*) FROM report_issue WHERE note <> ''",
    "decisions of which it is known in which ranking": "SELECT count(*) FROM decision WHERE ranking_id IS NOT NULL",
}


def upgrade() -> None:
    """Make the tables, and the columns that decisions and report issues get."""
    # Added in place; Alembic would add the reference in a step of its own, which SQLite does not have.
    op.execute(
        "ALTER TABLE decision ADD COLUMN ranking_id INTEGER CONSTRAINT fk_decision_ranking_id REFERENCES ranking (id)"
    )
    op.add_column("report_issue", sa.Column("note", sa.String(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "paper_note",
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
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_paper_note_issue_id"),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name="fk_paper_note_paper_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_paper_note_person_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_paper_note_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_paper_note"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_paper_note_client_id",
        "paper_note",
        ["client_id"],
        unique=True,
        sqlite_where=sa.text("client_id IS NOT NULL"),
    )
    op.create_index(
        "ix_paper_note_report_id_issue_id_paper_id_id", "paper_note", ["report_id", "issue_id", "paper_id", "id"]
    )
    op.create_table(
        "criteria",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("text", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_criteria_person_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_criteria_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_criteria"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_criteria_report_id_id", "criteria", ["report_id", "id"])
    op.create_table(
        "preference",
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_preference_person_id"),
        sa.PrimaryKeyConstraint("person_id", "name", name="pk_preference"),
    )
    op.create_table(
        "draft",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("positions", sa.LargeBinary(), nullable=False),
        sa.Column("note", sa.String(), nullable=False),
        sa.Column("private_note", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_draft_issue_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_draft_person_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_draft_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_draft"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_draft_report_id_issue_id_id", "draft", ["report_id", "issue_id", "id"])
    op.create_table(
        "reopened_issue",
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
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_reopened_issue_issue_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_reopened_issue_person_id"),
        sa.ForeignKeyConstraint(["ranking_id"], ["ranking.id"], name="fk_reopened_issue_ranking_id"),
        sa.ForeignKeyConstraint(["reopened_by"], ["person.id"], name="fk_reopened_issue_reopened_by"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_reopened_issue_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_reopened_issue"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_reopened_issue_report_id_issue_id_id", "reopened_issue", ["report_id", "issue_id", "id"])


def downgrade() -> None:
    """Take the tables and columns away; that with a reference goes with its table, which is built anew."""
    for table in ("reopened_issue", "draft", "preference", "criteria", "paper_note"):
        op.drop_table(table)
    op.drop_column("report_issue", "note")
    with op.batch_alter_table("decision", table_kwargs={"sqlite_autoincrement": True}) as batch:
        batch.drop_column("ranking_id")
