"""Convert a table row to a paper, with the cleaning and validation that all table formats share."""

import ast
import datetime
import math
import re
from collections.abc import Callable, Mapping, Sequence

from presort.data.importers.fields import most_precise_date
from presort.data.importers.references import web_address
from presort.data.records import CODE_RULE, REPORT_CODE, Paper
from presort.data.records.paper_types import type_of
from presort.data.text.cleaning import clean, is_placeholder
from presort.data.text.prose import plain_text, prose

ISSUE_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
LIST = re.compile(r"\[\s*['\"].*['\"]\s*\]", re.DOTALL)  # string representation of a Python list
LONGEST_LIST = 100_000  # maximum number of characters in the string representation of a list
NO_DATE = "not a date. Write dates as 2026-11-16"


class BadCellError(ValueError):
    """A cell is invalid. The importer adds the file name and the row to the message."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        super().__init__(reason)


Split = Callable[[object], Sequence[str]]


def to_paper(
    row: Mapping[str, object], *, paper_id: str, doi: str, split: Mapping[str, Split], dates: Sequence[object]
) -> Paper:
    """Create a paper from a row's cells.

    Parameters
    ----------
    row : mapping from str to object
        Cells in the row, by field. Fields without a column are omitted.
    paper_id : str
        Id of the paper.
    doi : str
        DOI, as returned by `doi_of`.
    split : mapping from str to function
        Functions that split the cells in the fields ``authors`` and ``codes`` into values.
    dates : sequence of object
        Cells that may contain the date, in order of preference.

    Raises
    ------
    BadCellError
        If there is no title.
    """
    title = prose(text_of(row.get("title")))
    if not title:
        raise BadCellError("title", "no title")
    abstract, series = text_of(row.get("abstract")), text_of(row.get("series"))
    return Paper(
        paper_id=paper_id,
        title=title,
        abstract="" if is_placeholder(abstract) else prose(abstract),
        authors=tuple(split["authors"](row.get("authors"))),
        codes=tuple(split["codes"](row.get("codes"))),
        series="" if is_placeholder(series) else plain_text(series),
        date=most_precise_date(map(text_of, dates)),
        doi=doi,
        url=web_address(text_of(row.get("url"))),
        type=type_of(text_of(row.get("type"))),
    )


def text_of(cell: object) -> str:
    """Convert a cell to a cleaned string. Returns an empty string for a missing value."""
    if isinstance(cell, str):
        text = clean(cell)
        # Some programs write ="007" so that Excel treats a number as text.
        return text[2:-1] if text[:2] == '="' and text[-1] == '"' else text
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():  # pandas converts integers to floats if values are missing
        return str(int(cell))
    if isinstance(cell, datetime.date):  # also matches datetime, a subclass of date
        return cell.isoformat()[:10]
    return clean(str(cell))


def split_cell(cell: object, between: re.Pattern[str]) -> list[str]:
    """Split a cell into values. A cell from a Parquet file or a DataFrame may already be a list."""
    text = "" if isinstance(cell, list) else text_of(cell)
    parts = cell if isinstance(cell, list) else text[:1] == "[" and _parse_list(text)
    if parts:
        return [text for part in parts if (text := text_of(part))]
    return [part for each in between.split(text) if (part := each.strip())]


def _parse_list(text: str) -> list[str]:
    """Parse a Python list of strings, such as ``['Lee, Ann', 'Ek, Bo']``. Returns an empty list for any other text."""
    if len(text) > LONGEST_LIST or not LIST.fullmatch(text):
        return []
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(text, str) for text in found) else []


def issue_of(cell: object) -> datetime.date | None:
    """Parse an issue date. Returns None if the cell is empty."""
    text = text_of(cell)
    if not text:
        return None
    try:
        return datetime.date.fromisoformat(text if ISSUE_DATE.fullmatch(text) else "")
    except ValueError:
        raise BadCellError("issue", f"{text!r} is {NO_DATE}") from None


def reports_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Validate report codes and remove duplicates."""
    codes = tuple(dict.fromkeys(texts))
    for code in codes:
        if not REPORT_CODE.fullmatch(code):
            reason = f"{code!r} is not a valid report code. Use {CODE_RULE}, and ';' between codes"
            raise BadCellError("reports", reason)
    return codes
