"""Pack arrays into table cells: positions as int32, scores as float64 and vectors as float16, all little-endian."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import ColumnElement, Integer, func
from sqlalchemy.orm import InstrumentedAttribute

from presort.data.errors import DamagedCellError
from presort.data.records import Positions

POSITION, SCORE = np.dtype("<i4"), np.dtype("<f8")
VECTOR = np.dtype("<f2")  # type of a sentence vector's elements


def pack(positions: Sequence[int] | Positions) -> bytes:
    """Pack positions into the bytes to store.

    Examples
    --------
    >>> pack([3, 1]).hex(" ", 4)
    '03000000 01000000'
    """
    return np.asarray(positions, dtype=POSITION).tobytes()


def unpack(cell: bytes) -> Positions:
    """Unpack the positions in a stored value into a read-only array.

    Raises
    ------
    DamagedCellError
        If the length of the cell is not a multiple of 4 bytes.

    Examples
    --------
    >>> unpack(pack([3, 1]))
    array([3, 1], dtype=int32)
    """
    return numbers(cell, POSITION)


def numbers(cell: bytes, kind: np.dtype) -> np.ndarray:
    """Return the numbers in a cell as a read-only array of dtype `kind`.

    Raises
    ------
    DamagedCellError
        If the length of the cell is not a multiple of the item size.
    """
    if len(cell) % kind.itemsize:
        raise DamagedCellError(f"a cell has {len(cell)} bytes, which is not a multiple of {kind.itemsize}")
    return np.frombuffer(cell, kind)


def fault_of_scores(scores: np.ndarray, n_positions: int) -> str:
    """Describe what is wrong with a ranking's scores. Returns an empty string if they are valid.

    Examples
    --------
    >>> fault_of_scores(np.array([2.0, 1.0]), 2), fault_of_scores(np.array([1.0, 2.0]), 2)
    ('', 'scores rise')
    """
    if len(scores) != n_positions:
        return f"{len(scores)} scores for {n_positions} positions"
    if not np.isfinite(scores).all():
        return "a score is not a finite number"
    return "scores rise" if (np.diff(scores) > 0).any() else ""


def count_positions(column: InstrumentedAttribute[bytes]) -> ColumnElement[int]:
    """Return an SQL expression for the number of positions in a cell in this column."""
    return func.length(column, type_=Integer) // POSITION.itemsize
