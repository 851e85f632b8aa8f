"""How positions are kept in one cell of a table: as little-endian int32."""

from collections.abc import Sequence

import numpy as np
from sqlalchemy import ColumnElement, Integer, func
from sqlalchemy.orm import InstrumentedAttribute

from data.errors import DamagedCellError
from data.records import Positions

POSITION = np.dtype("<i4")


def packed(positions: Sequence[int] | Positions) -> bytes:
    """Return what stands in the database for positions.

    Examples
    --------
    >>> packed([3, 1]).hex(" ", 4)
    '03000000 01000000'
    """
    return np.asarray(positions, dtype=POSITION).tobytes()


def unpacked(cell: bytes) -> Positions:
    """Return the positions for what stands in the database; nothing may write to the array.

    Raises
    ------
    DamagedCellError
        If the cell holds half a position.

    Examples
    --------
    >>> unpacked(packed([3, 1]))
    array([3, 1], dtype=int32)
    """
    return numbers(cell, POSITION)


def numbers(cell: bytes, kind: np.dtype) -> np.ndarray:
    """Return the numbers of a kind that a cell holds; nothing may write to the array.

    Raises
    ------
    DamagedCellError
        If the cell holds a part of one.
    """
    if len(cell) % kind.itemsize:
        raise DamagedCellError(f"{len(cell)} bytes stand where numbers of {kind.itemsize} bytes should")
    return np.frombuffer(cell, kind)


def n_packed(column: InstrumentedAttribute[bytes]) -> ColumnElement[int]:
    """Select how many positions stand in a column."""
    return func.length(column, type_=Integer) // POSITION.itemsize
