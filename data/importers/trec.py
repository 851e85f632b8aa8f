"""Runs and relevance judgements in the text formats of TREC, which evaluate any retrieval system.

A line of a run says ``topic Q0 paper rank score tag``, a line of a qrels file ``topic iteration paper judgement``.
As in trec_eval, any white space separates fields, the second field and the rank are not used, and a paper may
occur only once in a topic. Lines that begin with ``#`` are comments. Text after the tag of a run is ignored.
"""

import math
import re
import reprlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from presort.data.errors import UnreadableFileError
from presort.data.importers.references import naming
from presort.data.importers.text_file import decoded, text_source
from presort.data.text.cleaning import UNPRINTABLE

RUN = ("topic", "Q0", "paper", "rank", "score", "tag")
QRELS = ("topic", "iteration", "paper", "judgement")
KINDS = {len(RUN): "run", len(QRELS): "qrels file"}  # by the number of fields
COMMENT = "#"
WHITE_SPACE = re.compile(r"\s+", re.ASCII)  # as trec_eval splits: a wide or unbreakable space is part of a field

NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
WHOLE_NUMBER = re.compile(r"([+-]?\d{1,5})(?:\.0*)?", re.ASCII)  # pandas writes 1.0
HIGHEST_JUDGEMENT = 10_000  # either way from 0; nobody grades finer, and a table of all grades is made

Value = TypeVar("Value", int, float)


@dataclass(frozen=True)
class Run:
    """Run: the papers that a system returned for each topic.

    Attributes
    ----------
    tag : str
        Its name, from the file's last line.
    scores : dict of dict of float
        Score of each paper of each topic, finite; higher is likelier relevant. Topics and papers in file order.
    """

    tag: str
    scores: dict[str, dict[str, float]]


def read_run(path: Path) -> Run:
    """Read a run.

    Raises
    ------
    UnreadableFileError
        If the file is missing or empty, or a line has fewer than 6 fields, a score that is not a finite
        number, or a paper that the topic has already; the message names the rows, counted from 1 with empty lines.
    """
    tag, scores = _read(path, RUN, "score", finite_number)
    return Run(tag, scores)


def read_qrels(path: Path) -> dict[str, dict[str, int]]:
    """Read relevance judgements: for each topic the judgement of each paper, above 0 if it is relevant.

    Raises
    ------
    UnreadableFileError
        If the file is missing or empty, or a line has other than 4 fields, a judgement that is not a whole
        number from -10,000 to 10,000, or a paper that the topic has already; the message names the rows, counted from
        1 with empty lines.
    """
    _, judgements = _read(path, QRELS, "judgement", _judgement)
    return judgements


def finite_number(text: str) -> float:
    """Read a number as every program would write it.

    Raises
    ------
    ValueError
        If the text is anything else, infinity and NaN included.

    Examples
    --------
    >>> finite_number("-3e-2")
    -0.03
    """
    if not NUMBER.fullmatch(text) or math.isinf(number := float(text)):
        raise ValueError(f"{reprlib.repr(text)} is not a number; write it as 12.5 or -3e-2")
    return number


def _read(
    path: Path, columns: tuple[str, ...], column: str, value_of: Callable[[str], Value]
) -> tuple[str, dict[str, dict[str, Value]]]:
    """Return the last field of the last line, and a value for each topic and paper."""
    place = columns.index(column)
    values: dict[str, dict[str, Value]] = {}
    first_row: dict[str, dict[str, int]] = {}
    fields: list[str] = []
    for row, fields in _lines(path, columns):
        topic, paper = fields[0], fields[2]
        earlier = first_row.setdefault(topic, {}).setdefault(paper, row)
        if earlier != row:
            reason = f"{paper!r} is already in topic {topic!r}, in row {earlier}; keep one of the two lines"
            raise UnreadableFileError(path, reason, row=row, column="paper")
        try:
            values.setdefault(topic, {})[paper] = value_of(fields[place])
        except ValueError as error:
            raise UnreadableFileError(path, str(error), row=row, column=column) from error
    if not fields:
        raise UnreadableFileError(path, f"is empty; lines of '{' '.join(columns)}' are needed")
    return fields[-1], values


def _lines(path: Path, columns: tuple[str, ...]) -> Iterator[tuple[int, list[str]]]:
    """Yield the number and the fields of each line that is neither empty nor a comment."""
    with naming(path), text_source(path).open() as file:
        for row, line in enumerate(map(decoded, file), start=1):
            if line.lstrip().startswith(COMMENT) or not (fields := _fields(path, row, line)):
                continue
            if len(fields) != len(columns) and not _has_text_after_tag(fields, columns):
                raise UnreadableFileError(path, _miscounted(len(fields), columns), row=row)
            yield row, fields[: len(columns)]


def _fields(path: Path, row: int, line: str) -> list[str]:
    fields = WHITE_SPACE.split(line.strip(" \t\n\r\v\f"))
    if fields == [""]:
        return []
    if any(map(UNPRINTABLE.search, fields)):
        raise UnreadableFileError(path, "holds a control character; save it as plain text in UTF-8", row=row)
    return fields


def _has_text_after_tag(fields: list[str], columns: tuple[str, ...]) -> bool:
    """Return whether a line of a run goes on after its tag; an id with a space would put a word in the rank's place."""
    return columns is RUN and len(fields) > len(RUN) and NUMBER.fullmatch(fields[RUN.index("rank")]) is not None


def _miscounted(n_fields: int, columns: tuple[str, ...]) -> str:
    hint = f"; is this a {KINDS[n_fields]}?" if n_fields in KINDS else ""
    return f"has {n_fields} field{'s' * (n_fields > 1)}, {len(columns)} are needed: {' '.join(columns)}{hint}"


def _judgement(text: str) -> int:
    number = WHOLE_NUMBER.fullmatch(text)
    if not number or abs(judgement := int(number[1])) > HIGHEST_JUDGEMENT:
        raise ValueError(
            f"{reprlib.repr(text)} is not a whole number from {-HIGHEST_JUDGEMENT:,} to {HIGHEST_JUDGEMENT:,}; "
            "write 1 or more for a relevant paper, 0 or less for any other"
        )
    return judgement
