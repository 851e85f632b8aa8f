"""From one row of a table to a paper: cleaning and checks that every table format shares."""

import ast
import datetime
import math
import re
from collections.abc import Callable, Mapping, Sequence

from presort.data.importers.fields import most_exact
from presort.data.importers.references import web_address
from presort.data.records import REPORT_CODE, Paper
from presort.data.records.paper_types import type_of
from presort.data.text.cleaning import clean, says_nothing
from presort.data.text.prose import plain_text, prose

ISSUE_DATE = re.compile(r"\d{4}-\d{2}-\d{2}", re.ASCII)
LIST = re.compile(r"\[\s*['\"].*['\"]\s*\]", re.DOTALL)  # as Python prints one
LONGEST_LIST = 100_000  # characters
NO_DATE = "not a date; write it as 2026-11-16"


class BadCellError(ValueError):
    """One cell can't be taken; the reader adds file and row."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        super().__init__(reason)


Split = Callable[[object], Sequence[str]]


def to_paper(
    row: Mapping[str, object], *, paper_id: str, doi: str, split: Mapping[str, Split], dates: Sequence[object]
) -> Paper:
    """Make a paper of a row's cells.

    Parameters
    ----------
    row : mapping from str to object
        A cell of each field that the table has.
    paper_id : str
        Identifier of the paper.
    doi : str
        As `doi_of` writes it.
    split : mapping from str to function
        Returns the texts in a cell of ``authors`` and of ``codes``.
    dates : sequence of object
        Cells that may hold the date, the most important first.

    Raises
    ------
    BadCellError
        If there is no title.
    """
    title = prose(text_of(row.get("title")))
    if not title:
        raise BadCellError("title", "is empty")
    abstract, series = text_of(row.get("abstract")), text_of(row.get("series"))
    return Paper(
        paper_id=paper_id,
        title=title,
        abstract="" if says_nothing(abstract) else prose(abstract),
        authors=tuple(split["authors"](row.get("authors"))),
        codes=tuple(split["codes"](row.get("codes"))),
        series="" if says_nothing(series) else plain_text(series),
        date=most_exact(map(text_of, dates)),
        doi=doi,
        url=web_address(text_of(row.get("url"))),
        type=type_of(text_of(row.get("type"))),
    )


def text_of(cell: object) -> str:
    """Return a cell as clean text; one that holds nothing as no text."""
    if isinstance(cell, str):
        text = clean(cell)
        return text[2:-1] if text[:2] == '="' and text[-1] == '"' else text  # so that Excel takes it as text
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():  # whole numbers with gaps between become such
        return str(int(cell))
    if isinstance(cell, datetime.date):  # a time too
        return cell.isoformat()[:10]
    return clean(str(cell))


def several(cell: object, between: re.Pattern[str]) -> list[str]:
    """Split a cell that may hold several texts; Parquet may bring a list, which is split already."""
    text = "" if isinstance(cell, list) else text_of(cell)
    parts = cell if isinstance(cell, list) else text[:1] == "[" and _listed(text)
    if parts:
        return [text for part in parts if (text := text_of(part))]
    return [part for each in between.split(text) if (part := each.strip())]


def _listed(text: str) -> list[str]:
    """Parse a list in Python's notation, such as ``['Lee, Ann', 'Ek, Bo']``. Empty if the text is none."""
    if len(text) > LONGEST_LIST or not LIST.fullmatch(text):
        return []
    try:
        found = ast.literal_eval(text)
    except (SyntaxError, ValueError, MemoryError, RecursionError):
        return []
    return found if isinstance(found, list) and all(isinstance(text, str) for text in found) else []


def issue_of(cell: object) -> datetime.date | None:
    """Return the date of an issue. None if the cell is empty."""
    text = text_of(cell)
    if not text:
        return None
    try:
        return datetime.date.fromisoformat(text if ISSUE_DATE.fullmatch(text) else "")
    except ValueError:
        raise BadCellError("issue", f"{text!r} is {NO_DATE}") from None


def reports_of(texts: Sequence[str]) -> tuple[str, ...]:
    """Return the codes of reports, once each, in order."""
    codes = tuple(dict.fromkeys(texts))
    for code in codes:
        if not REPORT_CODE.fullmatch(code):
            raise BadCellError(
                "reports",
                f"{code!r} is no report code: letters, digits, '.', '-' and '_', at most 64, with ';' between codes",
            )
    return codes
