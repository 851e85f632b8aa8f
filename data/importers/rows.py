"""From one row of a table to a paper in an issue: cleaning and checks that every table format shares."""

import datetime
import math
import re
import unicodedata
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path

from data.errors import UnreadableFileError
from data.records import ListedPaper, Paper

REQUIRED = ("paper_id", "title", "issue")
OPTIONAL = ("abstract", "authors", "codes", "series", "date", "reports")
SEVERAL = ("authors", "codes", "reports")  # those that may hold more than one text

ISO_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
REPORT_CODE = re.compile(r"\w[\w.\-]{0,63}")
INVISIBLE = re.compile(
    "[\u00ad\u200b\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff]"
)  # also those that turn text around
UNPRINTABLE = re.compile(r"[\x00-\x1f\x7f-\x9f\ud800-\udfff]")  # control characters and halves of surrogate pairs


class BadCellError(ValueError):
    """One cell can't be taken; the reader adds the row."""

    def __init__(self, column: str, reason: str) -> None:
        self.column = column
        super().__init__(reason)


def listings(path: Path, columns: Sequence[str], rows: Iterable[Mapping[str, object]]) -> Iterator[ListedPaper]:
    """Turn the rows of a table into listed papers, and stop at the first that is wrong.

    Parameters
    ----------
    path : Path
        Where the rows come from, for messages.
    columns : sequence of str
        The table's columns; those in `REQUIRED` must be there, those in neither list are not used.
    rows : iterable of mapping
        A cell a column; the first row is row 1.
    """
    if missing := [name for name in REQUIRED if name not in columns]:
        raise UnreadableFileError(
            path, f"no column {' and no column '.join(missing)}; {', '.join(REQUIRED)} are needed"
        )
    if len(set(columns)) < len(columns):
        raise UnreadableFileError(path, f"a column stands there twice; the columns are {', '.join(columns)}")
    first_row: dict[tuple[datetime.date, str], int] = {}
    for number, row in enumerate(rows, start=1):
        try:
            listed = _listed_paper(row)
        except BadCellError as error:
            raise UnreadableFileError(path, str(error), row=number, column=error.column) from error
        earlier = first_row.setdefault((listed.issue, listed.paper.paper_id), number)
        if earlier != number:
            reason = f"{listed.paper.paper_id!r} stands in this issue already, in row {earlier}"
            raise UnreadableFileError(path, reason, row=number, column="paper_id")
        yield listed


def clean(text: str) -> str:
    r"""Make one line of plain text: Unicode in composed form, nothing unseen, single spaces.

    Examples
    --------
    >>> clean("  Minimum\twages\n and  jobs ")
    'Minimum wages and jobs'
    """
    return " ".join(UNPRINTABLE.sub(" ", INVISIBLE.sub("", unicodedata.normalize("NFC", text))).split())


def _listed_paper(row: Mapping[str, object]) -> ListedPaper:
    paper = Paper(
        paper_id=_needed(row, "paper_id"),
        title=_needed(row, "title"),
        abstract=_text(row.get("abstract")),
        authors=_several(row.get("authors")),
        codes=_several(row.get("codes")),
        series=_text(row.get("series")),
        date=str(_date(row, "date")) if _text(row.get("date")) else "",
    )
    return ListedPaper(paper=paper, issue=_date(row, "issue"), selected_by=_reports(row))


def _text(cell: object) -> str:
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    return clean(str(cell))


def _needed(row: Mapping[str, object], column: str) -> str:
    text = _text(row.get(column))
    if not text:
        raise BadCellError(column, "is empty")
    return text


def _several(cell: object) -> tuple[str, ...]:
    """Split at semicolons; Parquet may bring a list."""
    parts = cell if isinstance(cell, list) else _text(cell).split(";")
    return tuple(text for part in parts if (text := _text(part)))


def _date(row: Mapping[str, object], column: str) -> datetime.date:
    cell = row.get(column)
    if isinstance(cell, datetime.datetime):
        return cell.date()
    if isinstance(cell, datetime.date):
        return cell
    text = _text(cell)
    if ISO_DATE.fullmatch(text):
        try:
            return datetime.date.fromisoformat(text)
        except ValueError:  # 2019-02-30
            pass
    raise BadCellError(column, f"{text!r} is not a date; write it as 2026-11-16")


def _reports(row: Mapping[str, object]) -> tuple[str, ...]:
    codes = tuple(dict.fromkeys(_several(row.get("reports"))))  # once each, in order
    for code in codes:
        if not REPORT_CODE.fullmatch(code):
            raise BadCellError(
                "reports",
                f"{code!r} is no report code: letters, digits, '.', '-' and '_', at most 64, with ';' between codes",
            )
    return codes
