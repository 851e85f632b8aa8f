"""Tables for papers with their tokens, vectors and duplicates, for issues, and for workspace settings."""

import datetime
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Float, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.records import Paper
from presort.data.tables.base import Base, Lines


class SettingRow(Base):
    """Workspace setting, such as ``demo``."""

    __tablename__ = "setting"
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class RevisionRow(Base):
    """Revision of the workspace, in a single row. It increases with every change, which tells caches to reload."""

    __tablename__ = "revision"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]


class PaperRow(Base):
    """Paper. It has only one row, even if it is listed in several issues."""

    __tablename__ = "paper"
    id: Mapped[int] = mapped_column(primary_key=True)
    paper_id: Mapped[str] = mapped_column(unique=True)
    title: Mapped[str]
    abstract: Mapped[str]
    authors: Mapped[tuple[str, ...]]
    codes: Mapped[tuple[str, ...]]
    series: Mapped[str]
    date: Mapped[str]
    doi: Mapped[str] = mapped_column(server_default=text("''"))
    url: Mapped[str] = mapped_column(server_default=text("''"))
    type: Mapped[str] = mapped_column(server_default=text("''"))


# Columns in the order of the fields in `presort.data.records.Paper`.
PAPER_COLUMNS = (
    PaperRow.paper_id,
    PaperRow.title,
    PaperRow.abstract,
    PaperRow.authors,
    PaperRow.codes,
    PaperRow.series,
    PaperRow.date,
    PaperRow.doi,
    PaperRow.url,
    PaperRow.type,
)


def paper_of(values: Iterable[Any]) -> Paper:
    """Convert a row with the columns `PAPER_COLUMNS` to a paper."""
    return Paper(*values)


def paper_values(paper: Paper) -> dict[str, str]:
    """Return the values to store for a paper, by column name."""
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": Lines.join(paper.authors),
        "codes": Lines.join(paper.codes),
        "series": paper.series,
        "date": paper.date,
        "doi": paper.doi,
        "url": paper.url,
        "type": paper.type,
    }


class PaperIndexRow(Base):
    """Entry in the index of `data.index`: the papers in one block that have one key."""

    __tablename__ = "paper_index"
    kind: Mapped[str] = mapped_column(primary_key=True)  # "word", "id" or "doi"
    key: Mapped[str] = mapped_column(primary_key=True)
    block: Mapped[int] = mapped_column(primary_key=True)
    papers: Mapped[bytes]  # distinct offsets in the block in ascending order, as little-endian uint16


class TokenRow(Base):
    """Token that occurs in papers. Ids start at 0 and have no gaps, and tokens are never deleted."""

    __tablename__ = "token"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(unique=True)


class PaperTokensRow(Base):
    """Tokens of a paper by field. Token ids are stored in text order as little-endian int32."""

    __tablename__ = "paper_tokens"
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    title: Mapped[bytes]
    abstract: Mapped[bytes]
    authors: Mapped[bytes]
    codes: Mapped[bytes]


class PaperVectorRow(Base):
    """Sentence vector of a paper, as little-endian float16. The setting ``vectors`` names the model."""

    __tablename__ = "paper_vector"
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    numbers: Mapped[bytes]


class IssueRow(Base):
    """Issue, which is a dated list of papers."""

    __tablename__ = "issue"
    id: Mapped[int] = mapped_column(primary_key=True)
    date: Mapped[datetime.date] = mapped_column(unique=True)


class ListingRow(Base):
    """Log of papers listed in issues. Positions start at 1, have no gaps and never change. New papers are appended."""

    __tablename__ = "listing"
    # `paper_id` comes first, so that the index can also be used to find the issues of a paper.
    __table_args__ = (UniqueConstraint("paper_id", "issue_id"), {"sqlite_with_rowid": False})
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))


class PaperDuplicateRow(Base):
    """Duplicate of another paper, and an issue with which it was imported. The issue usually doesn't list it."""

    __tablename__ = "paper_duplicate"
    __table_args__ = (Index(None, "issue_id"), Index(None, "duplicate_of"))
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    # The original, which was not a duplicate itself when this row was added.
    duplicate_of: Mapped[int] = mapped_column(ForeignKey("paper.id"))
    how: Mapped[str]  # value from `presort.data.duplicates.matching.Match`
    score: Mapped[float] = mapped_column(Float)  # similarity of the titles, from 0 to 1
    made_at: Mapped[datetime.datetime]
    undone_at: Mapped[datetime.datetime | None]  # time when the paper was added to the list after all
    undone_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))


class PossibleDuplicateRow(Base):
    """New paper that may be a duplicate of another paper. Both papers are listed until the director decides."""

    __tablename__ = "possible_duplicate"
    __table_args__ = (Index(None, "other_id"),)
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))  # the earlier paper
    how: Mapped[str]  # value from `presort.data.duplicates.matching.Match`
    score: Mapped[float] = mapped_column(Float)  # similarity of the titles, from 0 to 1
    made_at: Mapped[datetime.datetime]
    is_duplicate: Mapped[bool | None]  # None until the director decides
    decided_at: Mapped[datetime.datetime | None]
    decided_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
