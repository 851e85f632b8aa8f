"""Validation of the API's query parameters, and cursors, which mark positions in paged lists."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException

MOST, USUAL = 500, 100  # maximum and default number of items per page
LONGEST = 100  # maximum length of a value in characters; the longest valid value is a cursor with 75 characters
FILTERS = ("report", "from", "to")
PAGES = ("limit", "cursor")


@dataclass(frozen=True)
class Query:
    """Validated query parameters.

    Attributes
    ----------
    report : str
        Code of the report. Empty for all reports.
    first, last : date
        Earliest and latest issue date to return, inclusive. By default, all issues are returned.
    limit : int
        Maximum number of items.
    cursor : str
        Cursor of the last item of the previous page. Empty for the first page.
    """

    report: str = ""
    first: date = date.min
    last: date = date.max
    limit: int = USUAL
    cursor: str = ""

    @property
    def cursor_day(self) -> date | None:
        """Date of the last issue on the previous page. None on the first page."""
        return _parse_cursor_day(self.cursor) if self.cursor else None

    @property
    def cursor_report_issue(self) -> tuple[date, str] | None:
        """Issue date and report code of the last report issue on the previous page. None on the first page."""
        if not self.cursor:
            return None
        day, _, code = self.cursor.partition(".")
        return _parse_cursor_day(day), code


def cursor_of(day: date, report: str) -> str:
    """Return the cursor that marks a report issue's position in a list."""
    return f"{day}.{report}"


def read_query(given: QueryParams, known: Collection[str]) -> Query:
    """Validate query parameters.

    Parameters
    ----------
    known : collection of str
        Names of the parameters that the resource accepts.

    Raises
    ------
    HTTPException
        With status 400 if a parameter is unknown, repeated or invalid.

    Examples
    --------
    >>> read_query(QueryParams("report=lab&limit=5"), [*FILTERS, *PAGES])
    Query(report='lab', first=datetime.date(1, 1, 1), last=datetime.date(9999, 12, 31), limit=5, cursor='')
    """
    values: dict[str, str] = {}
    for name, value in given.multi_items():
        if name not in known:
            accepted = f"Accepted parameters: {', '.join(known)}." if known else "This resource accepts no parameters."
            raise bad_request(f"Unknown parameter {name[:LONGEST]!r}. {accepted}")
        if name in values:
            raise bad_request(f"{name} is repeated. Send it once.")
        if not 0 < len(value) <= LONGEST:
            raise bad_request(f"{name} must have 1 to {LONGEST} characters, not {len(value):,}.")
        if not value.isprintable():  # PostgreSQL rejects values with a NUL character
            raise bad_request(f"{name} contains a character that is not printable. Remove it.")
        values[name] = value
    first, last = (
        _validate_day(name, values.get(name), unset) for name, unset in (("from", date.min), ("to", date.max))
    )
    if first > last:
        raise bad_request(f"from ({first}) is after to ({last}). Swap the dates.")
    return Query(values.get("report", ""), first, last, _validate_limit(values.get("limit")), values.get("cursor", ""))


def bad_request(detail: str) -> HTTPException:
    """Return the error for an invalid request."""
    return HTTPException(400, detail)


def parse_day(text: str) -> date | None:
    """Parse a date such as 2026-11-16. Returns None if it is invalid or in another ISO 8601 format."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if str(day) == text else None


def _validate_day(name: str, text: str | None, unset: date) -> date:
    if text is None:
        return unset
    if (day := parse_day(text)) is None:
        raise bad_request(f"{name} must be a date such as 2026-11-16, not {text!r}.")
    return day


def _validate_limit(text: str | None) -> int:
    if text is None:
        return USUAL
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= MOST):
        raise bad_request(f"limit must be a number from 1 to {MOST}, not {text!r}.")
    return int(text)


def _parse_cursor_day(text: str) -> date:
    if (day := parse_day(text)) is None:
        raise bad_request("cursor is invalid. Use the 'next' address of the previous page, unchanged.")
    return day
