"""Scores of several systems on the same topics, as a CSV table with names in the first line and the first column."""

import csv
import math
import re
import reprlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from presort.data.errors import UnreadableFileError
from presort.data.importers.text_file import repaired, text_source
from presort.data.text.cleaning import clean

LARGEST = 1e100  # of a score, either way from 0: squares of it are still numbers
MISSING = ("", "nan")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def read_score_table(path: Path) -> pd.DataFrame:
    """Read a table of scores.

    Parameters
    ----------
    path : Path
        A text file of comma-separated cells. The very first cell names the rows; empty lines are left out.

    Returns
    -------
    DataFrame
        Rows and columns as in the file, by name, and the first cell as the name of the index; NaN where a cell is empty
        or says nan.

    Raises
    ------
    UnreadableFileError
        If the file is missing or not a table, there are fewer than two rows or columns of scores, a name is
        empty or occurs twice, or a cell is not a number; the message names row and column.
    """
    (_, header), *rows = _lines(path) or [(1, [])]
    columns = [clean(name) for name in header[1:]]
    names = [clean(row[0]) for _, row in rows]
    if min(len(columns), len(names)) < 2:
        found = f"rows of scores: {len(names)}, columns: {len(columns)}"
        raise UnreadableFileError(path, f"{found}; 2 of each are needed at least, with commas between the cells")
    _check_names(path, "column", columns)
    _check_names(path, "row", names)
    scores = [_scores(path, number, columns, row) for number, row in rows]
    index = pd.Index(names, name=clean(header[0]) or None)
    return pd.DataFrame(scores, index=index, columns=columns, dtype=float)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Read all lines that are not empty, with their numbers in a spreadsheet: the header is mostly 1."""
    lines: list[tuple[int, list[str]]] = []
    number = 0
    try:
        with text_source(path).open(newline="") as file:
            for number, line in enumerate(csv.reader(file, strict=True), start=1):
                if any(line):
                    lines.append((number, [repaired(cell)[0] for cell in line]))
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error
    except csv.Error as error:
        row = number + 1 if lines else None
        raise UnreadableFileError(path, f"is not a well-formed table: {error}", row=row) from error
    return lines


def _check_names(path: Path, kind: str, names: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name:
            raise UnreadableFileError(path, f"{kind} {number} of the scores has no name")
        earlier = first.setdefault(name, number)
        if earlier != number:
            reason = f"{name!r} names two {kind}s of scores, {earlier} and {number}; give each its own name"
            raise UnreadableFileError(path, reason)


def _scores(path: Path, number: int, columns: Sequence[str], row: Sequence[str]) -> list[float]:
    if len(row) != len(columns) + 1:
        raise UnreadableFileError(path, f"has {len(row)} cells, the header has {len(columns) + 1}", row=number)
    return [_score(path, number, column, cell.strip()) for column, cell in zip(columns, row[1:], strict=True)]


def _score(path: Path, number: int, column: str, cell: str) -> float:
    if cell.lower() in MISSING:
        return math.nan
    if not NUMBER.fullmatch(cell) or math.isinf(score := float(cell)):
        reason = f"{reprlib.repr(cell)} is not a number; write it as 12.5 or -3e-2"
        raise UnreadableFileError(path, reason, row=number, column=column)
    if abs(score) > LARGEST:
        raise UnreadableFileError(path, f"{cell!r} is beyond {LARGEST:g}", row=number, column=column)
    return score
