"""Read runs and relevance judgements from TREC files, tables and dictionaries.

The fields of a run are ``topic Q0 paper rank score tag``, those of a qrels file ``topic iteration paper judgement``.
As in trec_eval, ASCII white space separates fields, the second field and the rank are ignored, and a paper may occur
only once in a topic. Lines that begin with ``#`` are comments. Text after the tag of a run is ignored.

In Presort, a *topic* (query) is a report issue and a *document* is a paper.
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
from typing import Any, TypeAlias, TypeVar

import numpy as np

from presort.metrics.arguments import is_number, short_repr
from presort.metrics.lazy import pd

RUN = ("topic", "Q0", "paper", "rank", "score", "tag")
QRELS = ("topic", "iteration", "paper", "judgement")
KINDS = {len(RUN): "run", len(QRELS): "qrels file"}  # file type, by the number of fields per line
COLUMNS = {  # accepted columns of a DataFrame: our name, then those used by ir-measures and PyTerrier
    "topic": ("topic", "query_id", "qid", "query"),
    "paper": ("paper", "doc_id", "docno", "docid"),
    "score": ("score",),
    "judgement": ("judgement", "relevance", "label", "rel"),
}
GZIP = b"\x1f\x8b"
UTF_16 = (b"\xff\xfe", b"\xfe\xff")  # PowerShell writes UTF-16 when it redirects output to a file
CONTROL_BYTES = bytes([*range(9), *range(14, 32), 127])  # control characters except ASCII white space
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")
WHITE_SPACE = re.compile(r"[ \t\n\r\v\f]+")  # as in trec_eval: Unicode spaces don't separate fields
WHOLE_NUMBER = re.compile(r"([+-]?\d{1,5})(?:\.0*)?", re.ASCII)  # accepts 1.0, because pandas may write 1 in this way
NUMBER = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?", re.ASCII | re.IGNORECASE)
HIGHEST_JUDGEMENT = 10_000  # limit on a grade's absolute value, because trec_eval allocates a table of all grades

Value = TypeVar("Value", int, float)
Papers = Mapping[Any, Mapping[Any, Any]]  # maps each topic to a mapping from papers to numbers
RunSource: TypeAlias = "str | PathLike[str] | pd.DataFrame | Papers"
QrelsSource: TypeAlias = "str | PathLike[str] | pd.DataFrame | Papers"
Qrels = dict[str, dict[str, int]]


class TrecFileError(ValueError):
    """Error in a run or qrels file.

    Attributes
    ----------
    path : Path
        Path of the file.
    reason : str
        Description of the error, without path and line.
    line : int or None
        1-based line number. None if the error concerns the whole file.
    """

    def __init__(self, path: Path, reason: str, *, line: int | None = None) -> None:
        self.path, self.reason, self.line = path, reason, line
        super().__init__(f"{path}{'' if line is None else f', line {line}'}: {reason}")


class Run(dict[str, dict[str, float]]):
    """Scores of the papers that a system returned, by topic and paper.

    `Run` is a dict, so other evaluation libraries accept it. Topics and papers keep the order of the source. Scores are
    finite; a higher score predicts relevance.

    Parameters
    ----------
    scores : mapping of str to dict of str to float
        Score for each topic and paper.
    tag : str
        Name of the system, from the last line of the file. Empty for other sources.

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
    """Read a system's run.

    Parameters
    ----------
    run : path, DataFrame or mapping
        Path of a TREC file, which may be gzip-compressed. Or a DataFrame with one row per returned paper and the
        columns topic, paper and score; the names of ir-measures (query_id, doc_id) and PyTerrier (qid, docno) are also
        accepted. Or a nested mapping from topic to paper to score. Integer ids are converted to strings.

    Returns
    -------
    Run
        Scores by topic and paper. If a topic in a mapping has no papers, it is left out, because a TREC file can't
        contain such a topic either. In contrast, pytrec_eval scores it as 0.

    Raises
    ------
    OSError
        If the file can't be read.
    TrecFileError
        If the file is empty, or if a line has fewer than 6 fields, a score that is not a finite number, or a paper that
        occurred before in the topic. A subclass of ValueError.
    ValueError
        If a column is missing from the DataFrame, or if the DataFrame or mapping contains an invalid score or id or a
        repeated paper.

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
    return Run(_values("run", run, "score", _validate_score))


def read_qrels(qrels: QrelsSource) -> Qrels:
    """Read relevance judgements.

    Parameters
    ----------
    qrels : path, DataFrame or mapping
        Path of a TREC file, which may be gzip-compressed. Or a DataFrame with one row per judgement and the columns
        topic, paper and judgement; the names of ir-measures (query_id, doc_id, relevance) and PyTerrier (qid, docno,
        label) are also accepted. Or a nested mapping from topic to paper to judgement. Integer ids are converted to
        strings.

    Returns
    -------
    dict of str to dict of str to int
        Judgements by topic and paper. Usually 1 or more for a relevant paper, with higher grades for better papers. If
        a topic in a mapping has no papers, it is left out, as in pytrec_eval.

    Raises
    ------
    OSError
        If the file can't be read.
    TrecFileError
        If the file is empty, or if a line does not have 4 fields, has a judgement that is not an integer from -10,000
        to 10,000, or a paper that occurred before in the topic. A subclass of ValueError.
    ValueError
        If a column is missing from the DataFrame, or if the DataFrame or mapping contains an invalid judgement or id or
        a repeated paper.

    Examples
    --------
    >>> read_qrels({401: {"a": 1, "b": 0}})
    {'401': {'a': 1, 'b': 0}}
    """
    if isinstance(qrels, str | PathLike):
        return _file(Path(qrels), QRELS, "judgement", _judgement)[1]
    return _values("qrels", qrels, "judgement", _validate_judgement)


def _file(
    path: Path, columns: tuple[str, ...], column: str, value_of: Callable[[str], Value]
) -> tuple[str, dict[str, dict[str, Value]]]:
    """Return the last field of the last line, which is the run tag, and the values by topic and paper."""
    lines, split = _lines(path)
    n_fields, place = len(columns), columns.index(column)
    found: dict[str, dict[str, Value]] = {}
    last: list[str] = []
    for number, line in enumerate(lines, start=1):
        fields = split(line)
        if not fields or fields[0][0] == "#":
            continue
        if len(fields) != n_fields and not _has_text_after_tag(fields, columns):
            raise TrecFileError(path, _field_count_error(len(fields), columns), line=number)
        last, papers, paper = fields, found.setdefault(fields[0], {}), fields[2]
        if paper in papers:
            raise TrecFileError(path, _repeated_paper_error(lines, split, number), line=number)
        try:
            papers[paper] = value_of(fields[place])
        except ValueError as error:
            raise TrecFileError(path, f"{column} {error}", line=number) from error
    if not last:
        raise TrecFileError(path, f"the file is empty; expected lines of '{' '.join(columns)}'")
    return last[n_fields - 1], found


def _lines(path: Path) -> tuple[list[str], Callable[[str], list[str]]]:
    """Return a file's lines, and the function to split a line into fields."""
    data = path.read_bytes()
    if data.startswith(GZIP):
        try:
            data = gzip.decompress(data)
        except (EOFError, zlib.error, gzip.BadGzipFile) as error:
            raise TrecFileError(path, f"damaged gzip file: {error}") from error
    # str.split is ten times faster than the regular expression and equivalent for ASCII without control characters.
    is_plain = data.isascii() and len(data.translate(None, CONTROL_BYTES)) == len(data)
    text = _text(data)
    if "\r" in text:
        text = text.replace("\r\n", "\n").replace("\r", "\n")
    lines = text.split("\n")
    if not is_plain:
        for number, line in enumerate(lines, start=1):
            if any(map(UNPRINTABLE.search, _split(line))) and not line.lstrip().startswith("#"):
                raise TrecFileError(path, "control character found; save the file as plain text in UTF-8", line=number)
    return lines, str.split if is_plain else _split


def _text(data: bytes) -> str:
    try:
        return data.decode("utf-16" if data.startswith(UTF_16) else "utf-8-sig")
    except UnicodeDecodeError:
        return data.decode("cp1252", "replace")  # the usual encoding of older Windows programs, which includes Latin-1


def _split(line: str) -> list[str]:
    return [field for field in WHITE_SPACE.split(line) if field]


def _has_text_after_tag(fields: Sequence[str], columns: tuple[str, ...]) -> bool:
    """Return True if a line in a run contains text after the run tag.

    Extra fields count as text after the tag only if the rank is a number. Otherwise, the line may have an extra field
    because the paper id contains a space.
    """
    return columns is RUN and len(fields) > len(RUN) and NUMBER.fullmatch(fields[RUN.index("rank")]) is not None


def _field_count_error(n_fields: int, columns: tuple[str, ...]) -> str:
    hint = f"; is this a {KINDS[n_fields]}?" if n_fields in KINDS else ""
    return f"expected {len(columns)} fields ({' '.join(columns)}), found {n_fields}{hint}"


def _repeated_paper_error(lines: Sequence[str], split: Callable[[str], list[str]], number: int) -> str:
    """Return an error message that points to the earlier line with the same topic and paper."""
    topic, _, paper = split(lines[number - 1])[:3]
    earlier = next(i for i, line in enumerate(lines, 1) if (found := split(line))[:1] + found[2:3] == [topic, paper])
    return f"paper {paper!r} is already in topic {topic!r}, see line {earlier}; delete one of the two lines"


def _score(text: str) -> float:
    try:
        number = float(text)
    except ValueError:
        number = math.nan
    if not math.isfinite(number) or "_" in text or not text.isascii():  # float() accepts formats that trec_eval rejects
        raise ValueError(f"{reprlib.repr(text)} is not a finite number; use a format such as 12.5 or -3e-2")
    return number


def _judgement(text: str) -> int:
    number = WHOLE_NUMBER.fullmatch(text)
    if not number or abs(judgement := int(number[1])) > HIGHEST_JUDGEMENT:
        raise ValueError(_not_a_judgement(text))
    return judgement


def _not_a_judgement(value: object) -> str:
    return (
        f"{short_repr(value)} is not an integer from {-HIGHEST_JUDGEMENT:,} to {HIGHEST_JUDGEMENT:,}; "
        "use 1 or more for a relevant paper and 0 or less for other papers"
    )


def _values(name: str, source: object, column: str, value_of: Callable[[object], Value]) -> dict[str, dict[str, Value]]:
    """Return the values from a DataFrame or mapping, by topic and paper."""
    found: dict[str, dict[str, Value]] = {}
    for topic, paper, value in _triples(name, source, column):
        topic_id, paper_id = _id(name, "topic", topic), _id(name, "paper", paper)
        papers = found.setdefault(topic_id, {})
        if paper_id in papers:
            raise ValueError(
                f"{name} must contain each paper of a topic only once, got {paper_id!r} twice in topic {topic_id!r}"
            )
        try:
            papers[paper_id] = value_of(value)
        except ValueError as error:
            raise ValueError(f"{name}, topic {topic_id!r}, paper {paper_id!r}: {column} {error}") from error
    return found


def _triples(name: str, source: object, column: str) -> Iterable[tuple[Hashable, Hashable, object]]:
    if isinstance(source, Mapping) and all(isinstance(papers, Mapping) for papers in source.values()):
        return ((topic, paper, value) for topic, papers in source.items() for paper, value in papers.items())
    if isinstance(source, pd.DataFrame):
        chosen = [_column(name, source, each) for each in ("topic", "paper", column)]
        return zip(*(source[each].tolist() for each in chosen), strict=True)
    rule = f"a path, a DataFrame, or a mapping from topic to paper to {column}"
    raise ValueError(f"{name} must be {rule}, got {short_repr(source)}")


def _column(name: str, table: pd.DataFrame, column: str) -> str:
    known = COLUMNS[column]
    if found := [each for each in known if each in table.columns]:
        return found[0]
    raise ValueError(
        f"{name} must have a column {' or '.join(known)}, got the columns {short_repr(list(table.columns))}"
    )


def _id(name: str, kind: str, value: object) -> str:
    if isinstance(value, str) and value:
        return value
    if isinstance(value, int | np.integer) and not isinstance(value, bool):
        return str(int(value))
    raise ValueError(f"{name} must have non-empty strings or integers as {kind} ids, got {short_repr(value)}")


def _validate_score(value: object) -> float:
    if not is_number(value) or not math.isfinite(value):
        raise ValueError(f"{short_repr(value)} is not a finite number")
    return float(value)


def _validate_judgement(value: object) -> int:
    if isinstance(value, bool | np.bool_):
        return int(value)
    if not is_number(value) or float(value) != value or value % 1 or abs(value) > HIGHEST_JUDGEMENT:
        raise ValueError(_not_a_judgement(value))
    return int(value)
