"""Papers, their tokens and duplicates, the issues that list them, and the workspace itself."""

import datetime
from collections.abc import Iterable
from typing import Any

from sqlalchemy import Float, ForeignKey, Index, UniqueConstraint, text
from sqlalchemy.orm import Mapped, mapped_column

from presort.data.records import Paper
from presort.data.tables.base import Base, Lines


class SettingRow(Base):
    """A named value of the workspace, such as ``demo``."""

    __tablename__ = "setting"
    name: Mapped[str] = mapped_column(primary_key=True)
    value: Mapped[str]


class RevisionRow(Base):
    """One row: a number that grows with every change, so that a cache knows when it is old."""

    __tablename__ = "revision"
    id: Mapped[int] = mapped_column(primary_key=True)
    number: Mapped[int]


class PaperRow(Base):
    """A paper, once, however many issues list it."""

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


# In the order of `presort.data.records.Paper`.
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
    """Return the paper that a row of `PAPER_COLUMNS` describes."""
    return Paper(*values)


def paper_values(paper: Paper) -> dict[str, str]:
    """Return the stored values of a paper by column."""
    return {
        "paper_id": paper.paper_id,
        "title": paper.title,
        "abstract": paper.abstract,
        "authors": Lines.joined(paper.authors),
        "codes": Lines.joined(paper.codes),
        "series": paper.series,
        "date": paper.date,
        "doi": paper.doi,
        "url": paper.url,
        "type": paper.type,
    }


class PaperIndexRow(Base):
    """Papers of a block that have a key, made by `data.index`: places in the block, little-endian uint16."""

    __tablename__ = "paper_index"
    kind: Mapped[str] = mapped_column(primary_key=True)  # "word", "id" or "doi"
    key: Mapped[str] = mapped_column(primary_key=True)
    block: Mapped[int] = mapped_column(primary_key=True)
    papers: Mapped[bytes]  # ascending, each once


class TokenRow(Base):
    """A token of any paper; numbers go from 0 without a gap, and none is ever removed."""

    __tablename__ = "token"
    id: Mapped[int] = mapped_column(primary_key=True)
    text: Mapped[str] = mapped_column(unique=True)


class PaperTokensRow(Base):
    """The tokens of a paper's fields, as little-endian int32 token numbers in text order."""

    __tablename__ = "paper_tokens"
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    title: Mapped[bytes]
    abstract: Mapped[bytes]
    authors: Mapped[bytes]
    codes: Mapped[bytes]


class PaperVectorRow(Base):
    """Sentence vector of a paper, made by the model in the setting ``vectors``: little-endian float16."""

    __tablename__ = "paper_vector"
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    numbers: Mapped[bytes]


class IssueRow(Base):
    """One dated list of papers."""

    __tablename__ = "issue"
    id: Mapped[int] = mapped_column(primary_key=True)
    date: Mapped[datetime.date] = mapped_column(unique=True)


class ListingRow(Base):
    """The log of which papers an issue lists: places from 1 without a gap, oldest order kept; none ever changes."""

    __tablename__ = "listing"
    # The paper first: this is also what finds the lists of a paper.
    __table_args__ = (UniqueConstraint("paper_id", "issue_id"), {"sqlite_with_rowid": False})
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    position: Mapped[int] = mapped_column(primary_key=True)
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))


class PaperDuplicateRow(Base):
    """A paper that an issue brought and does not list, because it duplicates a known paper."""

    __tablename__ = "paper_duplicate"
    __table_args__ = (Index(None, "issue_id"), Index(None, "duplicate_of"))
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    issue_id: Mapped[int] = mapped_column(ForeignKey("issue.id"), primary_key=True)
    duplicate_of: Mapped[int] = mapped_column(ForeignKey("paper.id"))  # not itself a duplicate when this was found
    how: Mapped[str]  # as `presort.data.duplicates.matching.Match` says it
    score: Mapped[float] = mapped_column(Float)  # likeness of the titles, from 0 to 1
    made_at: Mapped[datetime.datetime]
    undone_at: Mapped[datetime.datetime | None]  # since when it is listed all the same
    undone_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))


class PossibleDuplicateRow(Base):
    """A new paper that may be a duplicate of another one: both are listed until a person decides."""

    __tablename__ = "possible_duplicate"
    __table_args__ = (Index(None, "other_id"),)
    paper_id: Mapped[int] = mapped_column(ForeignKey("paper.id"), primary_key=True)
    other_id: Mapped[int] = mapped_column(ForeignKey("paper.id"))  # the one known before
    how: Mapped[str]  # as `presort.data.duplicates.matching.Match` says it
    score: Mapped[float] = mapped_column(Float)  # likeness of the titles, from 0 to 1
    made_at: Mapped[datetime.datetime]
    is_duplicate: Mapped[bool | None]  # None until a person has decided
    decided_at: Mapped[datetime.datetime | None]
    decided_by: Mapped[int | None] = mapped_column(ForeignKey("person.id"))
