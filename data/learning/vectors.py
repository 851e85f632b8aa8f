"""Store and read the sentence vectors of papers, which are computed with the workspace's sentence model."""

import datetime
import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import asdict

import numpy as np
from numpy.typing import NDArray
from sqlalchemy import Connection, delete, exists, func, insert, select, text, update

from presort.data.catalogue import log_change
from presort.data.errors import DamagedCellError, RefusedError
from presort.data.learning.issue_lists import plain_rows
from presort.data.records import Paper, SentenceModel, Vectors
from presort.data.rights import Right
from presort.data.store import Store
from presort.data.tables import PAPER_COLUMNS, IssueRow, ListingRow, PaperRow, PaperVectorRow, SettingRow, paper_of
from presort.data.tables.positions import VECTOR

CHUNK = 256  # papers per write transaction, limited so that an interruption loses at most half a minute of work
SETTING = "vectors"  # name of the setting that contains the model of the stored vectors

# The papers were read without the write lock, so this statement skips papers that an import has changed since then.
INSERT_VECTOR = """
INSERT INTO paper_vector (paper_id, numbers)
SELECT id, :numbers FROM paper WHERE (paper_id, title, abstract) = (:paper_id, :title, :abstract)
ON CONFLICT DO NOTHING
"""


def sentence_model(store: Store) -> SentenceModel | None:
    """Return the sentence model of a workspace, or None if it has no sentence model."""
    with store.reading(Right.SEE) as connection:
        return _read_model(connection)


def use_model(store: Store, model: SentenceModel) -> None:
    """Set the workspace's sentence model, or update the folder of the current model.

    Raises
    ------
    RefusedError
        If the stored vectors are from another model, because vectors of two models are not comparable.
    """
    with store.writing() as connection:
        known = _read_model(connection)
        if known is not None and known.made_by != model.made_by:
            raise RefusedError(
                f"The stored vectors are from {known.description}, not from {model.description}. Use the model of the "
                "stored vectors, or delete the vectors with 'presort vectors --forget'."
            )
        value = json.dumps(asdict(model))
        if known != model:
            log_change(connection, f"Sentence vectors: by {model.name}", person=store.author(connection))
        if known is None:
            connection.execute(insert(SettingRow).values(name=SETTING, value=value))
        elif known != model:
            connection.execute(update(SettingRow).where(SettingRow.name == SETTING).values(value=value))


def forget_vectors(store: Store) -> None:
    """Delete all vectors and the setting for the sentence model."""
    with store.writing() as connection:
        connection.execute(delete(SettingRow).where(SettingRow.name == SETTING))
        connection.execute(delete(PaperVectorRow))
        log_change(connection, "Sentence vectors: deleted", person=store.author(connection))


def count_vectors(store: Store) -> tuple[int, int]:
    """Return the number of listed papers that have a vector, and the total number of listed papers."""
    with store.reading(Right.SEE) as connection:
        n_listed = connection.execute(select(func.count(ListingRow.paper_id.distinct()))).scalar_one()
        return n_listed - len(_papers_without_vector(connection)), n_listed


def keep_vectors(
    store: Store, model: SentenceModel, encode: Callable[[Sequence[Paper]], NDArray[np.float16]]
) -> Iterator[tuple[int, int]]:
    """Compute and store the missing vectors of listed papers, newest issues first, and yield the progress.

    Vectors are stored for a few hundred papers at a time, so that the write lock is held only briefly. After an
    interruption, the next call continues with the papers that still lack a vector. Papers that an import adds or
    changes in the meantime are left to the next call.

    Parameters
    ----------
    store : Store
    model : SentenceModel
        Model set by `use_model`.
    encode : callable
        Function that returns the vectors of papers as an array of shape (n_papers, n_numbers).

    Yields
    ------
    n_done, n_total : int
        Number of papers processed so far, and total number of papers to process. Yields nothing if no vectors are
        missing.

    Raises
    ------
    RefusedError
        If the vectors were deleted in the meantime.
    """
    with store.reading() as connection:
        missing = _papers_without_vector(connection)
    done = 0
    for first in range(0, len(missing), CHUNK):
        ids = missing[first : first + CHUNK]
        with store.reading() as connection:
            rows = connection.execute(select(*PAPER_COLUMNS).where(PaperRow.id.in_(ids)))
            papers = [paper_of(row) for row in rows]
        made = encode(papers).astype(VECTOR)
        if made.shape != (len(papers), model.n_numbers):
            raise ValueError(f"encode must return vectors of shape {len(papers), model.n_numbers}, got {made.shape}")
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
            if (known := _read_model(connection)) is None or known.made_by != model.made_by:
                raise RefusedError(f"The vectors of {model.description} were deleted in the meantime. Start again.")
            connection.execute(text(INSERT_VECTOR), values)
        done += len(ids)
        yield done, len(missing)


def read_vectors(connection: Connection, through: datetime.date) -> Vectors | None:
    """Read the vectors of the papers listed up to and including a date, in the order of `History.papers`.

    Returns None if the workspace has no sentence model.
    """
    model = _read_model(connection)
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
    return Vectors(model.made_by, _as_numbers([part for (part,) in listed], model.n_numbers))


def read_seed_vectors(
    connection: Connection, seeds: Mapping[str, Sequence[Paper]], n_numbers: int
) -> dict[str, NDArray[np.float16]]:
    """Read the vectors of examples in the form of `History.seed_vectors`.

    An example that consists of a paper's title and abstract has that paper's vector. Examples written by an editor have
    no stored vector, so their vectors are all zeros.
    """
    titles = {seed.title for of_report in seeds.values() for seed in of_report}
    rows = connection.execute(
        select(PaperRow.title, PaperRow.abstract, PaperVectorRow.numbers)
        .join(PaperVectorRow, PaperVectorRow.paper_id == PaperRow.id)
        .where(PaperRow.title.in_(titles))
    )
    of_texts = {(title, abstract.strip()): numbers for title, abstract, numbers in rows}
    return {
        report: _as_numbers([of_texts.get((seed.title, seed.abstract)) for seed in of_report], n_numbers)
        for report, of_report in seeds.items()
    }


def _as_numbers(stored: Sequence[bytes | None], n_numbers: int) -> NDArray[np.float16]:
    """Convert stored vectors to an array of shape (n_vectors, n_numbers). A missing vector becomes zeros."""
    size = n_numbers * VECTOR.itemsize
    none = bytes(size)
    whole = b"".join(none if part is None else part for part in stored)
    if len(whole) != size * len(stored) or any(part is not None and len(part) != size for part in stored):
        raise DamagedCellError("the vector of a paper has the wrong length")
    numbers = np.frombuffer(whole, VECTOR).reshape(len(stored), n_numbers)
    if not np.isfinite(numbers).all():
        raise DamagedCellError("the vector of a paper contains an infinite or invalid number")
    return numbers


def _read_model(connection: Connection) -> SentenceModel | None:
    value = connection.execute(select(SettingRow.value).where(SettingRow.name == SETTING)).scalar()
    if value is None:
        return None
    try:
        return SentenceModel(**json.loads(value))
    except (ValueError, TypeError):
        raise DamagedCellError("the setting for the sentence model is invalid") from None


def _papers_without_vector(connection: Connection) -> list[int]:
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
