"""The first tables, and the one row that counts changes."""

import sqlalchemy as sa
from alembic import op

revision = "0001"
down_revision = None


def upgrade() -> None:
    """Make every table."""
    op.create_table(
        "issue",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("date", sa.Date(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_issue"),
        sa.UniqueConstraint("date", name="uq_issue_date"),
    )
    op.create_table(
        "paper",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.String(), nullable=False),
        sa.Column("title", sa.String(), nullable=False),
        sa.Column("abstract", sa.String(), nullable=False),
        sa.Column("authors", sa.String(), nullable=False),
        sa.Column("codes", sa.String(), nullable=False),
        sa.Column("series", sa.String(), nullable=False),
        sa.Column("date", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_paper"),
        sa.UniqueConstraint("paper_id", name="uq_paper_paper_id"),
    )
    op.create_table(
        "person",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_person"),
        sa.UniqueConstraint("name", name="uq_person_name"),
    )
    op.create_table(
        "replay",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("first_issue", sa.Date(), nullable=False),
        sa.Column("last_issue", sa.Date(), nullable=False),
        sa.Column("retrain_every", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_replay"),
        sa.UniqueConstraint(
            "first_issue", "last_issue", "retrain_every", name="uq_replay_first_issue_last_issue_retrain_every"
        ),
    )
    op.create_table(
        "report",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("code", sa.String(), nullable=False),
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("retired_at", sa.String(), nullable=True),
        sa.PrimaryKeyConstraint("id", name="pk_report"),
        sa.UniqueConstraint("code", name="uq_report_code"),
    )
    op.create_table(
        "revision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("number", sa.Integer(), nullable=False),
        sa.PrimaryKeyConstraint("id", name="pk_revision"),
    )
    op.create_table(
        "setting",
        sa.Column("name", sa.String(), nullable=False),
        sa.Column("value", sa.String(), nullable=False),
        sa.PrimaryKeyConstraint("name", name="pk_setting"),
    )
    op.create_table(
        "decision",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("client_id", sa.String(), nullable=True),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("about", sa.String(), nullable=False),
        sa.Column("word", sa.String(), nullable=False),
        sa.CheckConstraint(
            "(about = 'relevant' AND word IN ('yes', 'no', 'maybe', 'undecided')) "
            "OR (about = 'publish' AND word IN ('yes', 'no'))",
            name=op.f("ck_decision_word"),
        ),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_decision_issue_id"),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name="fk_decision_paper_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_decision_person_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_decision_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_decision"),
        sqlite_autoincrement=True,
    )
    op.create_index(
        "ix_decision_client_id",
        "decision",
        ["client_id"],
        unique=True,
        sqlite_where=sa.text("client_id IS NOT NULL"),
    )
    op.create_index(
        "ix_decision_report_id_issue_id_paper_id_about_id",
        "decision",
        ["report_id", "issue_id", "paper_id", "about", "id"],
    )
    op.create_table(
        "listing",
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("position", sa.Integer(), nullable=False),
        sa.Column("paper_id", sa.Integer(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_listing_issue_id"),
        sa.ForeignKeyConstraint(["paper_id"], ["paper.id"], name="fk_listing_paper_id"),
        sa.PrimaryKeyConstraint("issue_id", "position", name="pk_listing"),
        sa.UniqueConstraint("issue_id", "paper_id", name="uq_listing_issue_id_paper_id"),
        sqlite_with_rowid=False,
    )
    op.create_table(
        "ranking",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("replay_id", sa.Integer(), nullable=True),
        sa.Column("ranker", sa.String(), nullable=False),
        sa.Column("trained_before", sa.Date(), nullable=False),
        sa.Column("decisions_up_to", sa.Integer(), nullable=False),
        sa.Column("n_relevant", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("positions", sa.LargeBinary(), nullable=False),
        sa.Column("scores", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_ranking_issue_id"),
        sa.ForeignKeyConstraint(["replay_id"], ["replay.id"], name="fk_ranking_replay_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_ranking_report_id"),
        sa.PrimaryKeyConstraint("id", name="pk_ranking"),
    )
    op.create_index("ix_ranking_replay_id", "ranking", ["replay_id"])
    op.create_index("ix_ranking_report_id_issue_id_ranker_id", "ranking", ["report_id", "issue_id", "ranker", "id"])
    op.create_table(
        "outcome",
        sa.Column("ranking_id", sa.Integer(), nullable=False),
        sa.Column("n_papers", sa.Integer(), nullable=False),
        sa.Column("places", sa.LargeBinary(), nullable=False),
        sa.Column("scored_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["ranking_id"], ["ranking.id"], name="fk_outcome_ranking_id"),
        sa.PrimaryKeyConstraint("ranking_id", name="pk_outcome"),
    )
    op.create_table(
        "report_issue",
        sa.Column("report_id", sa.Integer(), nullable=False),
        sa.Column("issue_id", sa.Integer(), nullable=False),
        sa.Column("ranking_id", sa.Integer(), nullable=True),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("issued_at", sa.String(), nullable=False),
        sa.Column("published", sa.LargeBinary(), nullable=False),
        sa.ForeignKeyConstraint(["issue_id"], ["issue.id"], name="fk_report_issue_issue_id"),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name="fk_report_issue_person_id"),
        sa.ForeignKeyConstraint(["ranking_id"], ["ranking.id"], name="fk_report_issue_ranking_id"),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name="fk_report_issue_report_id"),
        sa.PrimaryKeyConstraint("report_id", "issue_id", name="pk_report_issue"),
    )
    op.execute("INSERT INTO revision (id, number) VALUES (1, 0)")
