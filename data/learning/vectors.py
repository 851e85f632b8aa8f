"""Sentence vectors of papers, computed by the service's sentence model and stored next to the tokens."""

import datetime
import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, exists, func, insert, select, text, update

from presort.data.catalogue import log_change
from presort.data.errors import DamagedCellError, RefusedError
from presort.data.learning.listed import plain_rows
from presort.data.records import Paper, SentenceModel, Vectors
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import PAPER_COLUMNS, IssueRow, ListingRow, PaperRow, PaperVectorRow, SettingRow, paper_of
from presort.data.tables.positions import VECTOR

CHUNK = 256  # papers read and kept at a time: half a minute of work at most is lost to a stop
SETTING = "vectors"  # setting with the model that made the stored vectors

# The texts were read before the lock: of a paper that an import has changed since, nothing is kept.
KEEP = """
INSERT INTO paper_vector (paper_id, numbers)
SELECT id, :numbers FROM paper WHERE (paper_id, title, abstract) = (:paper_id, :title, :abstract)
ON CONFLICT DO NOTHING
"""


def sentence_model(store: Store) -> SentenceModel | None:
    """Return the sentence model of a workspace. None if none was ever set."""
    with store.reading(Right.SEE) as connection:
        return _model(connection)


def use_model(store: Store, model: SentenceModel) -> None:
    """Set the sentence model that makes all vectors from now on, or its new folder.

    Raises
    ------
    RefusedError
        If another model made the stored vectors, because vectors of two models are not comparable.
    """
    with store.writing() as connection:
        known = _model(connection)
        if known is not None and known.made_by != model.made_by:
            raise RefusedError(
                f"the vectors here were made by {known.description}, not by {model.description}; use that model, "
                "or delete the vectors with 'presort vectors --forget'"
            )
        value = json.dumps(asdict(model))
        if known != model:
            log_change(connection, f"Sentence vectors: by {model.name}", person=store.author(connection))
        if known is None:
            connection.execute(insert(SettingRow).values(name=SETTING, value=value))
        elif known != model:
            connection.execute(update(SettingRow).where(SettingRow.name == SETTING).values(value=value))


def forget_vectors(store: Store) -> None:
    """Delete all vectors, and the reference to their model."""
    with store.writing() as connection:
        connection.execute(delete(SettingRow).where(SettingRow.name == SETTING))
        connection.execute(delete(PaperVectorRow))
        log_change(connection, "Sentence vectors: deleted", person=store.author(connection))


def count_vectors(store: Store) -> tuple[int, int]:
    """Return how many papers have a vector, and how many are listed."""
    with store.reading(Right.SEE) as connection:
        n_listed = connection.execute(select(func.count(ListingRow.paper_id.distinct()))).scalar_one()
        return n_listed - len(_missing(connection)), n_listed


def keep_vectors(
    store: Store, model: SentenceModel, encode: Callable[[Sequence[Paper]], NDArray[np.float16]]
) -> Iterator[tuple[int, int]]:
    """Compute the vectors of every listed paper that has none, the newest issues first, and yield the progress.

    A few hundred papers at a time are stored under one short lock. They stay stored after an interruption, and another
    call resumes from there. Papers that an import adds or changes meanwhile are left to the next call.

    Parameters
    ----------
    store : Store
    model : SentenceModel
        As `use_model` took it.
    encode : callable
        From papers to their vectors, shape (n_papers, n_numbers).

    Yields
    ------
    tuple of int
        Numbers of papers done and in total. Yields nothing if none is missing.

    Raises
    ------
    RefusedError
        If somebody let go of the vectors meanwhile.
    """
    with store.reading() as connection:
        missing = _missing(connection)
    done = 0
    for first in range(0, len(missing), CHUNK):
        ids = missing[first : first + CHUNK]
        with store.reading() as connection:
            rows = connection.execute(select(*PAPER_COLUMNS).where(PaperRow.id.in_(ids)))
            papers = [paper_of(row) for row in rows]
        made = encode(papers).astype(VECTOR)
        if made.shape != (len(papers), model.n_numbers):
            raise ValueError(f"encode must give vectors of shape {len(papers), model.n_numbers}, got {made.shape}")
        values = [
            {
                "numbers": numbers.tobytes(),
                "paper_id": paper.paper_id,
                "title": paper.title,
                "abstract": paper.abstract,
            }
            for numbers, paper in zip(made, papers, strict=True)
        ]
        with store.writing() as connection:
            if (known := _model(connection)) is None or known.made_by != model.made_by:
                raise RefusedError(f"the vectors of {model.description} were deleted in the meantime. Start again")
            connection.execute(text(KEEP), values)
        done += len(ids)
        yield done, len(missing)


def read_vectors(connection: Connection, through: datetime.date) -> Vectors | None:
    """Read the vectors of the papers listed up to a date, in the order of `History.papers`; None if there are none."""
    model = _model(connection)
    if model is None:
        return None
    listed = plain_rows(
        connection,
        select(PaperVectorRow.numbers)
        .select_from(ListingRow)
        .join(IssueRow, IssueRow.id == ListingRow.issue_id)
        .outerjoin(PaperVectorRow, PaperVectorRow.paper_id == ListingRow.paper_id)
        .where(IssueRow.date <= through)
        .order_by(IssueRow.date, ListingRow.position),
    )
    parts = [part for (part,) in listed]
    size = model.n_numbers * VECTOR.itemsize
    none = bytes(size)
    whole = b"".join(none if part is None else part for part in parts)
    if len(whole) != size * len(parts) or any(part is not None and len(part) != size for part in parts):
        raise DamagedCellError("the vector of a paper has the wrong length")
    numbers = np.frombuffer(whole, VECTOR).reshape(len(parts), model.n_numbers)
    if not np.isfinite(numbers).all():
        raise DamagedCellError("the vector of a paper contains a value that is not a number")
    return Vectors(model.made_by, numbers)


def _model(connection: Connection) -> SentenceModel | None:
    value = connection.execute(select(SettingRow.value).where(SettingRow.name == SETTING)).scalar()
    if value is None:
        return None
    try:
        return SentenceModel(**json.loads(value))
    except (ValueError, TypeError):
        raise DamagedCellError("the stored name of the sentence model can't be read") from None


def _missing(connection: Connection) -> list[int]:
    has_vector = exists().where(PaperVectorRow.paper_id == ListingRow.paper_id)
    newest = func.max(IssueRow.date)
    return list(
        connection.execute(
            select(ListingRow.paper_id)
            .join(IssueRow, IssueRow.id == ListingRow.issue_id)
            .where(~has_vector)
            .group_by(ListingRow.paper_id)
            .order_by(newest.desc(), ListingRow.paper_id)
        ).scalars()
    )
