"""Query parameters of the API: validation, and cursors of pages."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date

from starlette.datastructures import QueryParams
from starlette.exceptions import HTTPException

MOST, USUAL = 500, 100  # items per page
LONGEST = 100  # characters of a value; the longest valid one is a cursor of 75
FILTERS = ("report", "from", "to")
PAGES = ("limit", "cursor")


@dataclass(frozen=True)
class Query:
    """Validated query parameters.

    Attributes
    ----------
    report : str
        Code of the report. Defaults to all reports.
    first, last : date
        First and last date of the issues, inclusive. Default to all issues.
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
    def after_day(self) -> date | None:
        """Cursor of a list of issues."""
        return _cursor_day(self.cursor) if self.cursor else None

    @property
    def after(self) -> tuple[date, str] | None:
        """Cursor of a list of report issues: date of the issue, and code of the report."""
        if not self.cursor:
            return None
        day, _, code = self.cursor.partition(".")
        return _cursor_day(day), code


def cursor_of(day: date, report: str) -> str:
    """Return the cursor of a report issue. Inverse of `Query.after`."""
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
            accepted = f"Accepted: {', '.join(known)}." if known else "This resource accepts none."
            raise bad(f"Unknown parameter {name[:LONGEST]!r}. {accepted}")
        if name in values:
            raise bad(f"{name} is repeated. Send it once.")
        if not 0 < len(value) <= LONGEST:
            raise bad(f"{name} must have 1 to {LONGEST} characters, not {len(value):,}.")
        if not value.isprintable():  # PostgreSQL can't compare with a NUL character
            raise bad(f"{name} contains a control character.")
        values[name] = value
    first, last = (_day(name, values.get(name), unset) for name, unset in (("from", date.min), ("to", date.max)))
    if first > last:
        raise bad(f"from is {first}, which is after {last}. Swap them.")
    return Query(values.get("report", ""), first, last, _limit(values.get("limit")), values.get("cursor", ""))


def bad(detail: str) -> HTTPException:
    """Return the error of an invalid request."""
    return HTTPException(400, detail)


def day_of(text: str) -> date | None:
    """Parse a date in the form 2026-11-16. None if it is invalid. Other forms of ISO 8601 are not accepted."""
    try:
        day = date.fromisoformat(text)
    except ValueError:
        return None
    return day if str(day) == text else None


def _day(name: str, text: str | None, unset: date) -> date:
    if text is None:
        return unset
    if (day := day_of(text)) is None:
        raise bad(f"{name} must be a date such as 2026-11-16, not {text!r}.")
    return day


def _limit(text: str | None) -> int:
    if text is None:
        return USUAL
    if not (text.isascii() and text.isdecimal() and len(text) <= 9 and 1 <= int(text) <= MOST):
        raise bad(f"limit must be a number from 1 to {MOST}, not {text!r}.")
    return int(text)


def _cursor_day(text: str) -> date:
    if (day := day_of(text)) is None:
        raise bad("cursor is invalid. Use the 'next' address of the previous page, unchanged.")
    return day
