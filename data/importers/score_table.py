"""Importer for CSV tables of scores, with one row per topic and one column per system."""

import csv
import math
import re
import reprlib
from collections.abc import Sequence
from pathlib import Path

import pandas as pd

from presort.data.errors import UnreadableFileError
from presort.data.importers.text_file import repair_text, text_source
from presort.data.text.cleaning import clean

LARGEST = 1e100  # maximum absolute value of a score, so that its square doesn't overflow
MISSING = ("", "nan")
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)


def read_score_table(path: Path) -> pd.DataFrame:
    """Read a table of scores.

    Parameters
    ----------
    path : Path
        Path of a CSV file with the systems' names in the first line and the topics' names in the first column. Empty
        lines are ignored.

    Returns
    -------
    DataFrame
        Table with the same rows and columns as the file. The first cell in the header becomes the name of the index.
        Empty cells and ``nan`` become NaN.

    Raises
    ------
    UnreadableFileError
        If the file is missing, is not a table, or has fewer than two rows or columns of scores. Also if a name is empty
        or occurs twice, or a cell is not a number. The message names the row and the column.
    """
    (_, header), *rows = _lines(path) or [(1, [])]
    columns = [clean(name) for name in header[1:]]
    names = [clean(row[0]) for _, row in rows]
    if min(len(columns), len(names)) < 2:
        found = f"rows of scores: {len(names)}, columns of scores: {len(columns)}"
        raise UnreadableFileError(path, f"{found}. At least 2 of each are required. Are the cells separated by commas?")
    _check_names(path, "column", columns)
    _check_names(path, "row", names)
    scores = [_scores(path, number, columns, row) for number, row in rows]
    index = pd.Index(names, name=clean(header[0]) or None)
    return pd.DataFrame(scores, index=index, columns=columns, dtype=float)


def _lines(path: Path) -> list[tuple[int, list[str]]]:
    """Read all non-empty lines, with 1-based row numbers as in a spreadsheet."""
    lines: list[tuple[int, list[str]]] = []
    number = 0
    try:
        with text_source(path).open(newline="") as file:
            for number, line in enumerate(csv.reader(file, strict=True), start=1):
                if any(line):
                    lines.append((number, [repair_text(cell)[0] for cell in line]))
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error
    except csv.Error as error:
        row = number + 1 if lines else None
        raise UnreadableFileError(path, f"malformed table: {error}", row=row) from error
    return lines


def _check_names(path: Path, kind: str, names: Sequence[str]) -> None:
    first: dict[str, int] = {}
    for number, name in enumerate(names, start=1):
        if not name:
            raise UnreadableFileError(path, f"{kind} {number} has no name")
        earlier = first.setdefault(name, number)
        if earlier != number:
            reason = f"the {kind}s {earlier} and {number} have the same name, {name!r}. Rename one of them"
            raise UnreadableFileError(path, reason)


def _scores(path: Path, number: int, columns: Sequence[str], row: Sequence[str]) -> list[float]:
    if len(row) != len(columns) + 1:
        raise UnreadableFileError(path, f"{len(row)} cells, but the header has {len(columns) + 1}", row=number)
    return [_score(path, number, column, cell.strip()) for column, cell in zip(columns, row[1:], strict=True)]


def _score(path: Path, number: int, column: str, cell: str) -> float:
    if cell.lower() in MISSING:
        return math.nan
    if not NUMBER.fullmatch(cell) or math.isinf(score := float(cell)):
        reason = f"{reprlib.repr(cell)} is not a number. Write numbers as 12.5 or -3e-2"
        raise UnreadableFileError(path, reason, row=number, column=column)
    if abs(score) > LARGEST:
        raise UnreadableFileError(path, f"{cell!r} exceeds the limit of {LARGEST:g}", row=number, column=column)
    return score
