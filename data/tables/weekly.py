"""Tables for the weekly job's steps and its email notices to editors and the director."""

import datetime

from sqlalchemy import CheckConstraint, ForeignKey, Index, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.tables.base import Base


class WeeklyStepRow(Base):
    """Step of a weekly job, with its latest result."""

    __tablename__ = "weekly_step"
    __table_args__ = (CheckConstraint("state IN ('running', 'done', 'passed over', 'failed')", name="state"),)
    week: Mapped[datetime.date] = mapped_column(primary_key=True)  # day on which the job started
    step: Mapped[str] = mapped_column(primary_key=True)
    state: Mapped[str]
    began_at: Mapped[datetime.datetime]
    ended_at: Mapped[datetime.datetime | None]
    message: Mapped[str] = mapped_column(server_default=text("''"))  # result or error message


class NoticeRow(Base):
    """Email notice, sent only once. A NULL person means the director, and a NULL report means all reports."""

    __tablename__ = "notice"
    __table_args__ = (
        CheckConstraint("kind IN ('pending', 'late', 'very late', 'summary')", name="kind"),
        CheckConstraint("state IN ('sending', 'sent', 'refused', 'unsure', 'pending')", name="state"),
        Index(None, "day"),
    )
    id: Mapped[int] = mapped_column(primary_key=True)
    kind: Mapped[str]
    report_id: Mapped[int | None] = mapped_column(ForeignKey("report.id"))
    day: Mapped[datetime.date]  # issue date; for a summary, a day in its ISO week
    person_id: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
    state: Mapped[str]
    changed_at: Mapped[datetime.datetime]
    reason: Mapped[str] = mapped_column(server_default=text("''"))  # the mail server's reply
