"""Advice on files that can't be imported. It names the command's options or the labels on the page."""

from pathlib import Path

from presort.data.errors import UnreadableFileError

FIELD_LABELS = {
    "paper_id": "Id",
    "title": "Title",
    "abstract": "Abstract",
    "authors": "Authors",
    "codes": "Codes",
    "series": "Series",
    "date": "Date",
    "issue": "Issue",
    "reports": "Selected by",
    "doi": "DOI",
}
NAME_ISSUE = "Set the date of the issue with --issue 2026-11-16."
NAME_COLUMN = "Assign a column with --column {}=COLUMN."
LEAVE_OUT = "Nothing was imported. Fix the {}, or import with --keep-going to skip it."

CHOOSE_ISSUE = "Fill in the issue dates in the file, or choose *not in the file* for Issue and enter the date."
CHOOSE_COLUMN = "Choose the column for {}."
SKIP = "Skip invalid records"
SKIP_IT = f"Nothing was imported. Fix the {{}}, or choose *{SKIP}*."


def add_command_advice(error: UnreadableFileError, path: Path, *, keeps_going: bool) -> UnreadableFileError:
    """Add advice to an error. The advice names the command's options.

    Examples
    --------
    >>> week = Path("week.csv")
    >>> print(add_command_advice(UnreadableFileError(week, "is empty", row=7, column="title"), week, keeps_going=False))
    week.csv, row 7, column title: is empty. Nothing was imported. Fix the row, or import with --keep-going to skip \
it.
    >>> error = UnreadableFileError(week, "no column title", missing="title")
    >>> print(add_command_advice(error, week, keeps_going=False))
    week.csv: no column title. Assign a column with --column title=COLUMN.
    """
    advice = NAME_ISSUE if error.missing == "issue" else NAME_COLUMN.format(error.missing)
    return _add_advice(error, path, advice, LEAVE_OUT, keeps_going)


def add_page_advice(error: UnreadableFileError, path: Path, *, keeps_going: bool) -> UnreadableFileError:
    """Add advice to an error. The advice names the labels on the page.

    Examples
    --------
    >>> week = Path("week.csv")
    >>> print(add_page_advice(UnreadableFileError(week, "is empty", row=7, column="title"), week, keeps_going=False))
    week.csv, row 7, column title: is empty. Nothing was imported. Fix the row, or choose *Skip invalid records*.
    >>> print(add_page_advice(UnreadableFileError(week, "no column title", missing="title"), week, keeps_going=True))
    week.csv: no column title. Choose the column for Title.
    """
    advice = CHOOSE_ISSUE if error.missing == "issue" else CHOOSE_COLUMN.format(FIELD_LABELS.get(error.missing, ""))
    return _add_advice(error, path, advice, SKIP_IT, keeps_going)


def _add_advice(
    error: UnreadableFileError, path: Path, advice: str, skip: str, keeps_going: bool
) -> UnreadableFileError:
    """Add advice to an error: how to set a missing field, or how to skip the invalid record if others may be valid."""
    if error.missing:
        return error.with_advice(advice)
    what = "line" if error.line is not None else "row" if error.row is not None else "file"
    if keeps_going or (what == "file" and error.path == path):
        return error
    return error.with_advice(skip.format(what))
