"""Tables for roles, accounts and invitations."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base


class RoleRow(Base):
    """Log of roles other than editor. Rows are never changed or deleted.

    The newest row for a person, role and report is current. Rows for directors have no report.
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
    """Account at a sign-in provider, linked to a person. The row is deleted when the person is removed."""

    __tablename__ = "identity"
    __table_args__ = (UniqueConstraint("issuer", "subject"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    issuer: Mapped[str]
    subject: Mapped[str]
    member_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    signed_out_at: Mapped[datetime.datetime | None]  # sessions that began at or before this time are invalid
    # Roles from the provider at the last sign-in: "director", or "editor" or "viewer" followed by a space and a report
    # code.
    given: Mapped[tuple[str, ...]] = mapped_column(server_default=text("''"))
    given_until: Mapped[datetime.datetime | None]  # time when the roles in `given` end unless a new sign-in renews them


class RemovedAccountRow(Base):
    """Account of a removed person. The provider can't give it roles. The row is deleted if it accepts an invitation."""

    __tablename__ = "removed_account"
    # Hash of issuer and subject. Only a hash is stored, because erased people must not be identifiable.
    digest: Mapped[str] = mapped_column(primary_key=True)


class InvitationRow(Base):
    """Invitation. Signing in with its code links the account to a person. The row is deleted when used or withdrawn."""

    __tablename__ = "invitation"
    __table_args__ = (UniqueConstraint("digest"),)
    id: Mapped[int] = mapped_column(primary_key=True)
    digest: Mapped[str]  # hash of the code; the code itself is not stored
    member_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class ChangeRow(Base):
    """Log of changes that are not in any other log. Rows are never changed or deleted."""

    __tablename__ = "change"
    __table_args__ = (Index(None, "made_at"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]
    report_id: Mapped[int | None] = mapped_column(ForeignKey("report.id"))
    # Affected person, stored as an id because names can be erased.
    about_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    description: Mapped[str]  # description of the change, without personal names
    # Old and new value. Both are empty for personal data.
    before: Mapped[str] = mapped_column(server_default=text("''"))
    after: Mapped[str] = mapped_column(server_default=text("''"))
