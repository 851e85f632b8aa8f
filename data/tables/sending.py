"""Tables for readers, subscriptions and mailings."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base


class ReaderRow(Base):
    """Reader, stored separately from the logs so that readers can be erased. Erased readers have no address."""

    __tablename__ = "reader"
    __table_args__ = ({"sqlite_autoincrement": True},)  # ids of deleted readers are never reused
    id: Mapped[int] = mapped_column(primary_key=True)
    address: Mapped[str | None] = mapped_column(unique=True)
    name: Mapped[str] = mapped_column(server_default=text("''"))


class ReadershipRow(Base):
    """Log of subscriptions. Rows are never changed or deleted. The newest row for a report and reader is current."""

    __tablename__ = "readership"
    __table_args__ = (Index(None, "report_id", "reader_id", "id"), {"sqlite_autoincrement": True})
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    reader_id: Mapped[int] = mapped_column(ForeignKey("reader.id"))
    is_reading: Mapped[bool]
    person_id: Mapped[int] = mapped_column(ForeignKey("person.id"))
    made_at: Mapped[datetime.datetime]


class MailingRow(Base):
    """Mailing of a report issue to a reader. A unique key on both prevents sending the same mail twice."""

    __tablename__ = "mailing"
    __table_args__ = (
        CheckConstraint("state IN ('pending', 'sending', 'sent', 'refused', 'unsure', 'given up')", name="state"),
        UniqueConstraint("report_id", "issue_id", "reader_id"),
        {"sqlite_autoincrement": True},
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    report_id: Mapped[int] = mapped_column(ForeignKey("report.id"))
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"))
    reader_id: Mapped[int] = mapped_column(ForeignKey("reader.id"))
    state: Mapped[str]
    changed_at: Mapped[datetime.datetime]
    reason: Mapped[str] = mapped_column(server_default=text("''"))  # the mail server's reply
