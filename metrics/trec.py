"""Runs and relevance judgements: from TREC text files, tables and dictionaries.

A line of a run says ``topic Q0 paper rank score tag``, a line of a qrels file ``topic iteration paper judgement``.
As in trec_eval, ASCII white space separates fields, the second field and the rank are not used, and a paper may
occur only once in a topic. Lines that begin with ``#`` are comments. Text after the tag of a run is ignored.

The literature says *topic* (or query) and *document*; in Presort these are a report issue and a paper.
"""

from __future__ import annotations

import gzip
import math
import re
import reprlib
import zlib
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from os import PathLike
from pathlib import Path
from typing import Any, TypeVar

import numpy as np
import pandas as pd

from presort.metrics.arguments import is_number, shown

RUN = ("topic", "Q0", "paper", "rank", "score", "tag")
QRELS = ("topic", "iteration", "paper", "judgement")
KINDS = {len(RUN): "run", len(QRELS): "qrels file"}  # by the number of fields
COLUMNS = {  # of a DataFrame: our name, then those of ir-measures and PyTerrier
    "topic": ("topic", "query_id", "qid", "query"),
    "paper": ("paper", "doc_id", "docno", "docid"),
    "score": ("score",),
    "judgement": ("judgement", "relevance", "label", "rel"),
}
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # PowerShell writes it when output is redirected to a file
CONTROL_BYTES = bytes([*range(9), *range(14, 32), 127])  # all but ASCII white space
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
WHITE_SPACE = re.compile(r"[ \t\n\r\v\f]+")  # as trec_eval splits: a wide or unbreakable space is part of a field
WHOLE_NUMBER = re.compile(r"([+-]?\d{1,5})(?:\.0*)?", re.ASCII)  # pandas writes 1.0
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
HIGHEST_JUDGEMENT = 10_000  # either way from 0; trec_eval makes a table of all grades

Value = TypeVar("Value", int, float)
Papers = Mapping[Any, Mapping[Any, Any]]  # a number for each paper of each topic
RunSource = str | PathLike[str] | pd.DataFrame | Papers
QrelsSource = str | PathLike[str] | pd.DataFrame | Papers
Qrels = dict[str, dict[str, int]]


class TrecFileError(ValueError):
    """A file is no valid run or qrels file.

    Attributes
    ----------
    path : Path
    reason : str
        The fault, without the place.
    line : int or None
        Line of the file, from 1, where there is one to name.
    """

    def __init__(self, path: Path, reason: str, *, line: int | None = None) -> None:
        self.path, self.reason, self.line = path, reason, line
        super().__init__(f"{path}{'' if line is None else f', line {line}'}: {reason}")


class Run(dict[str, dict[str, float]]):
    """Run: the score of each paper that a system returned for each topic.

    A dict, so that other evaluation libraries take it as well. Topics and papers are in the order of the source;
    scores are finite, and a higher one is likelier relevant.

    Parameters
    ----------
    scores : mapping of str to dict of str to float
    tag : str
        Name of the system, from the file's last line. Empty for other sources.

    Examples
    --------
    >>> run = read_run({"401": {"a": 2, "b": 1.5}})
    >>> run["401"], run.tag
    ({'a': 2.0, 'b': 1.5}, '')
    """

    def __init__(self, scores: Mapping[str, dict[str, float]], tag: str = "") -> None:
        super().__init__(scores)
        self.tag = tag


def read_run(run: RunSource) -> Run:
    """Read the run of a system.

    Parameters
    ----------
    run : path, DataFrame or mapping
        A TREC file, which may be compressed by gzip. Or a DataFrame with the columns topic, paper and score, a row per
        paper returned; the names of ir-measures and PyTerrier (query_id, doc_id; qid, docno) do as well. Or a mapping
        from topic to paper to score. Ids that are integers become text, as they are in files.

    Returns
    -------
    Run
        Scores by topic and paper.

    Raises
    ------
    OSError
        If the file can't be read.
    TrecFileError
        If the file is empty, or a line has fewer than 6 fields, a score that is not a finite number, or a paper that
        the topic has already. A ValueError that names path and line.
    ValueError
        If a table lacks a column, or table or mapping hold such a score, paper or id.

    Examples
    --------
    >>> table = pd.DataFrame({"query_id": [401, 401], "doc_id": ["a", "b"], "score": [2.0, 1.5]})
    >>> read_run(table) == {"401": {"a": 2.0, "b": 1.5}}
    True
    """
    if isinstance(run, Run):
        return run
    if isinstance(run, str | PathLike):
        tag, scores = _file(Path(run), RUN, "score", _score)
        return Run(scores, tag)
    return Run(_values("run", run, "score", _checked_score))


def read_qrels(qrels: QrelsSource) -> Qrels:
    """Read relevance judgements.

    Parameters
    ----------
    qrels : path, DataFrame or mapping
        A TREC file, which may be compressed by gzip. Or a DataFrame with the columns topic, paper and judgement, a row
        per judgement; the names of ir-measures and PyTerrier (query_id, doc_id, relevance; qid, docno, label) do as
        well. Or a mapping from topic to paper to judgement. Ids that are integers become text.

    Returns
    -------
    dict of str to dict of str to int
        Judgement of each paper of each topic; usually from 1 for a relevant one, and higher for a better one.

    Raises
    ------
    OSError
        If the file can't be read.
    TrecFileError
        If the file is empty, or a line has other than 4 fields, a judgement that is not an integer from -10,000 to
        10,000, or a paper that the topic has already. A ValueError that names path and line.
    ValueError
        If a table lacks a column, or table or mapping hold such a judgement, paper or id.

    Examples
    --------
    >>> read_qrels({401: {"a": 1, "b": 0}})
    {'401': {'a': 1, 'b': 0}}
    """
    if isinstance(qrels, str | PathLike):
        return _file(Path(qrels), QRELS, "judgement", _judgement)[1]
    return _values("qrels", qrels, "judgement", _checked_judgement)


def _file(
    path: Path, columns: tuple[str, ...], column: str, value_of: Callable[[str], Value]
) -> tuple[str, dict[str, dict[str, Value]]]:
    """Return the last field of the last line, and a value for each topic and paper."""
    lines, split = _lines(path)
    n_fields, place = len(columns), columns.index(column)
    found: dict[str, dict[str, Value]] = {}
    last: list[str] = []
    for number, line in enumerate(lines, start=1):
        fields = split(line)
        if not fields or fields[0][0] == "#":
            continue
        if len(fields) != n_fields and not _has_text_after_tag(fields, columns):
            raise TrecFileError(path, _miscounted(len(fields), columns), line=number)
        last, papers, paper = fields, found.setdefault(fields[0], {}), fields[2]
        if paper in papers:
            raise TrecFileError(path, _repeated(lines, split, number), line=number)
        try:
            papers[paper] = value_of(fields[place])
        except ValueError as error:
            raise TrecFileError(path, f"{column} {error}", line=number) from error
    if not last:
        raise TrecFileError(path, f"is empty; lines of '{' '.join(columns)}' are needed")
    return last[n_fields - 1], found


def _lines(path: Path) -> tuple[list[str], Callable[[str], list[str]]]:
    """Return the lines of a file, and the function that splits one into fields."""
    data = path.read_bytes()
    if data.startswith(GZIP):
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise TrecFileError(path, f"is a damaged gzip file: {error}") from error
    # str.split is ten times faster than a regular expression. It agrees on ASCII without control characters.
    is_plain = data.isascii() and len(data.translate(None, CONTROL_BYTES)) == len(data)
    text = _text(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not is_plain:
        for number, line in enumerate(lines, start=1):
            if any(map(UNPRINTABLE.search, _split(line))) and not line.lstrip().startswith("#"):
                raise TrecFileError(path, "holds a control character; save it as plain text in UTF-8", line=number)
    return lines, str.split if is_plain else _split


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")  # what else programs write; it holds Latin-1


def _split(line: str) -> list[str]:
    return [field for field in WHITE_SPACE.split(line) if field]


def _has_text_after_tag(fields: Sequence[str], columns: tuple[str, ...]) -> bool:
    """Return whether a line of a run goes on after its tag; an id with a space would put a word in the rank's place."""
    return columns is RUN and len(fields) > len(RUN) and NUMBER.fullmatch(fields[RUN.index("rank")]) is not None


def _miscounted(n_fields: int, columns: tuple[str, ...]) -> str:
    hint = f"; is this a {KINDS[n_fields]}?" if n_fields in KINDS else ""
    return f"has {n_fields} field{'s' * (n_fields > 1)}, {len(columns)} are needed: {' '.join(columns)}{hint}"


def _repeated(lines: Sequence[str], split: Callable[[str], list[str]], number: int) -> str:
    """Name the earlier line with the topic and paper of this one."""
    topic, _, paper = split(lines[number - 1])[:3]
    earlier = next(i for i, line in enumerate(lines, 1) if (found := split(line))[:1] + found[2:3] == [topic, paper])
    return f"paper {paper!r} is already in topic {topic!r}, in line {earlier}; keep one of the two lines"


def _score(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text or not text.isascii():  # float() knows more ways than trec_eval
        raise ValueError(f"{reprlib.repr(text)} is not a finite number; write it as 12.5 or -3e-2")
    return number


def _judgement(text: str) -> int:
    number = WHOLE_NUMBER.fullmatch(text)
    if not number or abs(judgement := int(number[1])) > HIGHEST_JUDGEMENT:
        raise ValueError(_not_a_judgement(text))
    return judgement


def _not_a_judgement(value: object) -> str:
    return (
        f"{shown(value)} is not an integer from {-HIGHEST_JUDGEMENT:,} to {HIGHEST_JUDGEMENT:,}; "
        "write 1 or more for a relevant paper, 0 or less for any other"
    )


def _values(name: str, source: object, column: str, value_of: Callable[[object], Value]) -> dict[str, dict[str, Value]]:
    """Return a value for each topic and paper of a table or a mapping."""
    found: dict[str, dict[str, Value]] = {}
    for topic, paper, value in _triples(name, source, column):
        topic_id, paper_id = _id(name, "topic", topic), _id(name, "paper", paper)
        papers = found.setdefault(topic_id, {})
        if paper_id in papers:
            raise ValueError(f"{name} must have a paper once in a topic, got {paper_id!r} twice in topic {topic_id!r}")
        try:
            papers[paper_id] = value_of(value)
        except ValueError as error:
            raise ValueError(f"{name}, topic {topic_id!r}, paper {paper_id!r}: {column} {error}") from error
    return found


def _triples(name: str, source: object, column: str) -> Iterable[tuple[Hashable, Hashable, object]]:
    if isinstance(source, pd.DataFrame):
        chosen = [_column(name, source, each) for each in ("topic", "paper", column)]
        return zip(*(source[each].tolist() for each in chosen), strict=True)
    if isinstance(source, Mapping) and all(isinstance(papers, Mapping) for papers in source.values()):
        return ((topic, paper, value) for topic, papers in source.items() for paper, value in papers.items())
    rule = f"a path, a DataFrame, or a mapping from topic to paper to {column}"
    raise ValueError(f"{name} must be {rule}, got {shown(source)}")


def _column(name: str, table: pd.DataFrame, column: str) -> str:
    known = COLUMNS[column]
    if found := [each for each in known if each in table.columns]:
        return found[0]
    raise ValueError(f"{name} must have a column {' or '.join(known)}, got the columns {shown(list(table.columns))}")


def _id(name: str, kind: str, value: object) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    raise ValueError(f"{name} must have texts or integers as {kind} ids, got {shown(value)}")


def _checked_score(value: object) -> float:
    if not is_number(value) or not math.isfinite(value):
        raise ValueError(f"{shown(value)} is not a finite number")
    return float(value)


def _checked_judgement(value: object) -> int:
    if isinstance(value, bool | np.bool_):
        return int(value)
    if not is_number(value) or float(value) != value or value % 1 or abs(value) > HIGHEST_JUDGEMENT:
        raise ValueError(_not_a_judgement(value))
    return int(value)
