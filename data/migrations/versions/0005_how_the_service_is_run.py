"""How the service is run: rankers in use, editors, days off, colours of reports, and the log of imports."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"

LOST = {
    "choices of rankers": "SELECT count(*) FROM ranker_choice",
    "editorships and times of standing in": "SELECT count(*) FROM editorship",
    "holidays": "SELECT count(*) FROM holiday",
    "lines in the log of imports": "SELECT count(*) FROM imported_file",
    "colours of reports": "SELECT count(*) FROM report WHERE colour <> ''",
    "affiliations of people": "SELECT count(*) FROM person WHERE affiliation <> ''",
}


def upgrade() -> None:
    """Make the tables, and the columns that reports and people get."""
    op.add_column("report", sa.Column("colour", sa.String(), nullable=False, server_default=sa.text("''")))
    op.add_column("person", sa.Column("affiliation", sa.String(), nullable=False, server_default=sa.text("''")))
    op.create_table(
        "ranker_choice",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("active", sa.String(), nullable=False),
        sa.Column("shadows", sa.String(), nullable=False),
        sa.Column("after", sa.Date(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_ranker_choice_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_ranker_choice"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "editorship",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("editor_id", sa.Integer(), nullable=False),
        sa.Column("away_id", sa.Integer(), nullable=True),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=True),
        sa.Column("is_taken_back", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["away_id"], ["person.id"], name="fk_editorship_away_id"),
        sa.ForeignKeyConstraint(["editor_id"], ["person.id"], name="fk_editorship_editor_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_editorship_person_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_editorship_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_editorship"),
        sqlite_autoincrement=True,
    )
    op.create_index("ix_editorship_report_id_id", "editorship", ["report_id", "id"])
    op.create_table(
        "holiday",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("first", sa.Date(), nullable=False),
        sa.Column("last", sa.Date(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("is_taken_back", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_holiday_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_holiday"),
        sqlite_autoincrement=True,
    )
    op.create_table(
        "imported_file",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("file", sa.String(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("listings", sa.Integer(), nullable=False),
        sa.Column("new_issues", sa.Integer(), nullable=False),
        sa.Column("new_papers", sa.Integer(), nullable=False),
        sa.Column("updated_papers", sa.Integer(), nullable=False),
        sa.Column("new_listings", sa.Integer(), nullable=False),
        sa.Column("new_reports", sa.Integer(), nullable=False),
        sa.Column("new_selections", sa.Integer(), nullable=False),
        sa.Column("selections_left", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_imported_file_person_id"),
        sa.PrimaryKeyConstraint("id", name="pk_imported_file"),
        sqlite_autoincrement=True,
    )


def downgrade() -> None:
    """Take the tables and columns away."""
    for table in ("imported_file", "holiday", "editorship", "ranker_choice"):
        op.drop_table(table)
    op.drop_column("person", "affiliation")
    op.drop_column("report", "colour")
