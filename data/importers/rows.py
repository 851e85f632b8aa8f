"""From one row of a table to a paper: cleaning and checks that every table format shares."""

import datetime
import math
import re
from collections.abc import Mapping

from data.importers.references import doi_of, web_address
from data.records import Paper
from data.records.paper_types import type_of
from data.text.cleaning import clean
from data.text.prose import prose

PAPER_DATE = re.compile(r"(\d{4})(?:-(\d{2})(?:-(\d{2}))?)?", re.ASCII)
REPORT_CODE = re.compile(r"\w[\w.\-]{0,63}")
SCOPUS_NUMBER = re.compile(r" \(\d{6,}\)$")  # Lee, Ann (57200000000)
NO_DATE = "not a date; write it as 2026-11-16"


class BadCellError(ValueError):
    """One cell can't be taken; the reader adds file and row."""

    def __init__(self, field: str, reason: str) -> None:
        self.field = field
        super().__init__(reason)


def to_paper(row: Mapping[str, object], *, paper_id: str, between: Mapping[str, re.Pattern[str]]) -> Paper:
    """Make a paper of a row's cells.

    Parameters
    ----------
    row : mapping from str to object
        A cell of each field that the table has.
    paper_id : str
        What the paper goes by.
    between : mapping from str to pattern
        What separates several texts in a cell of ``authors`` and of ``codes``.

    Raises
    ------
    BadCellError
        If there is no title, or the date is none.
    """
    title = prose(text_of(row.get("title")))
    if not title:
        raise BadCellError("title", "is empty")
    return Paper(
        paper_id=paper_id,
        title=title,
        abstract=prose(text_of(row.get("abstract"))),
        authors=tuple(SCOPUS_NUMBER.sub("", name) for name in several(row.get("authors"), between["authors"])),
        codes=tuple(several(row.get("codes"), between["codes"])),
        series=text_of(row.get("series")),
        date=_date(row.get("date"), "date"),
        doi=doi_of(text_of(row.get("doi"))),
        url=web_address(text_of(row.get("url"))),
        type=type_of(text_of(row.get("type"))),
    )


def text_of(cell: object) -> str:
    """Return a cell as clean text; one that holds nothing as no text."""
    if isinstance(cell, str):
        return clean(cell)
    if cell is None or (isinstance(cell, float) and math.isnan(cell)):
        return ""
    if isinstance(cell, float) and cell.is_integer():  # whole numbers with gaps between become such
        return str(int(cell))
    return clean(str(cell))


def several(cell: object, between: re.Pattern[str]) -> list[str]:
    """Split a cell that may hold several texts; Parquet may bring a list, which is split already."""
    parts = cell if isinstance(cell, list) else between.split(text_of(cell))
    return [text for part in parts if (text := text_of(part))]


def issue_of(cell: object) -> datetime.date | None:
    """Return the date of an issue; None where the cell is empty."""
    day = _date(cell, "issue")
    if day and len(day) < len("2026-11-16"):
        raise BadCellError("issue", f"{day!r} is {NO_DATE}")
    return datetime.date.fromisoformat(day) if day else None


def reports_of(cell: object, between: re.Pattern[str]) -> tuple[str, ...]:
    """Return the codes of reports, once each, in order."""
    codes = tuple(dict.fromkeys(several(cell, between)))
    for code in codes:
        if not REPORT_CODE.fullmatch(code):
            raise BadCellError(
                "reports",
                f"{code!r} is no report code: letters, digits, '.', '-' and '_', at most 64, with ';' between codes",
            )
    return codes


def _date(cell: object, field: str) -> str:
    """Return a day as ISO date, or as exactly as the cell says it: 2019, 2019-02."""
    if isinstance(cell, datetime.date):  # a time too
        return cell.isoformat()[:10]
    text = text_of(cell)
    if not text:
        return ""
    if found := PAPER_DATE.fullmatch(text):
        try:
            datetime.date(*(int(part or 1) for part in found.groups()))
        except ValueError:  # 2019-02-30
            pass
        else:
            return text
    raise BadCellError(field, f"{text!r} is {NO_DATE}")
