"""Tables of roles, accounts and invitations."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base


class RoleRow(Base):
    """Log of roles other than editing. Rows are only ever added.

    The newest of a person, a role and a report counts. A director has no report.
    """

    __tablename__ = "role"
    __table_args__ = (
        CheckConstraint("role IN ('director', 'viewer')", name="role"),
        CheckConstraint("(role = 'director') = (report_id IS NULL)", name="report"),
        Index(None, "member_id", "id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    member_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    role: Mapped[str]
    report_id: Mapped[int | None] = mapped_column(ForeignKey("report.id"))
    is_taken_back: Mapped[bool]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class IdentityRow(Base):
    """Account: the person that a subject of a sign-in provider identifies. Deleted when the person is removed."""

    __tablename__ = "identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    issuer: Mapped[str]
    subject: Mapped[str]
    member_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    signed_out_at: Mapped[datetime.datetime | None]  # what was signed in before is over


class InvitationRow(Base):
    """Invitation code: signing in with it links the account to a person. Deleted when used or withdrawn."""

    __tablename__ = "invitation"
    __table_args__ = (UniqueConstraint("digest"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str]  # of the code, which is kept nowhere
    member_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class ChangeRow(Base):
    """Log of changes that no other log records. Rows are only ever added."""

    __tablename__ = "change"
    __table_args__ = (Index(None, "made_at"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    report_id: Mapped[int | None] = mapped_column(ForeignKey("report.id"))
    about_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))  # whom it is about: a name can be erased
    description: Mapped[str]  # what was changed, in words without a name
    before: Mapped[str] = mapped_column(server_default=text("''"))  # old and new value; empty where it is personal data
    after: Mapped[str] = mapped_column(server_default=text("''"))
