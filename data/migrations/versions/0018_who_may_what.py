"""Who may sign in, and as what; and the changes that no other log tells of."""

import sqlalchemy as sa
from alembic import op

from presort.data.tables import guards

revision = "0018"
down_revision = "0017"

LOST = {
    "roles and their ends": "SELECT count(*) FROM role",
    "accounts that people sign in by": "SELECT count(*) FROM identity",
    "invitations": "SELECT count(*) FROM invitation",
    "changes that no other log tells of": "SELECT count(*) FROM change",
}


def upgrade() -> None:
    """Make the tables."""
    op.create_table(
        "role",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("role", sa.String(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=True),
        sa.Column("is_taken_back", sa.Boolean(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.CheckConstraint("role IN ('director', 'viewer')", name=op.f("ck_role_role")),
        sa.CheckConstraint("(role = 'director') = (report_id IS NULL)", name=op.f("ck_role_report")),
        sa.ForeignKeyConstraint(["member_id"], ["person.id"], name=op.f("fk_role_member_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_role_person_id")),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name=op.f("fk_role_report_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_role")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_role_member_id_id"), "role", ["member_id", "id"])
    op.create_table(
        "identity",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("issuer", sa.String(), nullable=False),
        sa.Column("subject", sa.String(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("signed_out_at", sa.String(), nullable=True),
        sa.ForeignKeyConstraint(["member_id"], ["person.id"], name=op.f("fk_identity_member_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_identity")),
        sa.UniqueConstraint("issuer", "subject", name=op.f("uq_identity_issuer_subject")),
    )
    op.create_table(
        "invitation",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("digest", sa.String(), nullable=False),
        sa.Column("member_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["member_id"], ["person.id"], name=op.f("fk_invitation_member_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_invitation")),
        sa.UniqueConstraint("digest", name=op.f("uq_invitation_digest")),
    )
    op.create_table(
        "change",
        sa.Column("id", sa.Integer(), nullable=False),
        sa.Column("person_id", sa.Integer(), nullable=False),
        sa.Column("made_at", sa.String(), nullable=False),
        sa.Column("report_id", sa.Integer(), nullable=True),
        sa.Column("about_id", sa.Integer(), nullable=True),
        sa.Column("said", sa.String(), nullable=False),
        sa.ForeignKeyConstraint(["about_id"], ["person.id"], name=op.f("fk_change_about_id")),
        sa.ForeignKeyConstraint(["person_id"], ["person.id"], name=op.f("fk_change_person_id")),
        sa.ForeignKeyConstraint(["report_id"], ["report.id"], name=op.f("fk_change_report_id")),
        sa.PrimaryKeyConstraint("id", name=op.f("pk_change")),
        sqlite_autoincrement=True,
    )
    op.create_index(op.f("ix_change_made_at"), "change", ["made_at"])
    for log in ("role", "change"):
        for statement in guards.append_only(log):
            op.execute(statement)


def downgrade() -> None:
    """Take the tables away."""
    for table in ("change", "invitation", "identity", "role"):
        op.drop_table(table)
