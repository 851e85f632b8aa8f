"""Importer for a report's readers. The file has one email address per line, or is a table with a header."""

import csv
from pathlib import Path

from presort.data.errors import RefusedError, UnreadableFileError
from presort.data.importers.text_file import decode_stray_bytes, text_source
from presort.data.mail.addresses import validate_address

ADDRESS = ("address", "email", "e-mail", "mail")  # accepted names of the address column


def read_addresses(path: Path) -> list[tuple[str, str]]:
    """Read email addresses and names from a text file, in file order. A missing name becomes an empty string.

    If the first line contains no @, it is the header of a table with columns `address` and, optionally, `name`. In a
    file without a header, each line contains an address, which may be followed by a comma and a name. Blank lines are
    skipped.

    Raises
    ------
    UnreadableFileError
        If the file can't be read or is malformed, or a line contains no valid address.
    """
    found: list[tuple[str, str]] = []
    of_address, of_name = 0, 1
    try:
        with text_source(path).open(newline="") as file:
            rows = csv.reader(map(decode_stray_bytes, file), strict=True)
            for number, row in enumerate(rows):
                if number == 0 and row and not any("@" in cell for cell in row):
                    of_address, of_name = _columns(path, row)
                elif any(cell.strip() for cell in row):
                    cells = [*row, *[""] * (max(of_address, of_name) + 1 - len(row))]
                    found.append((_address(path, cells[of_address], rows.line_num), cells[of_name]))
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error
    except csv.Error as error:
        raise UnreadableFileError(path, f"malformed table: {error}", line=rows.line_num) from error
    return found


def _columns(path: Path, heads: list[str]) -> tuple[int, int]:
    """Return the indices of the address and name columns. If there is no name column, its index is out of range."""
    known = [head.strip().lower() for head in heads]
    column = next((known.index(name) for name in ADDRESS if name in known), None)
    if column is None:
        raise UnreadableFileError(
            path, f"no email address found. Write one address per line, or name the column '{ADDRESS[0]}'", line=1
        )
    return column, known.index("name") if "name" in known else len(known)


def _address(path: Path, text: str, line: int) -> str:
    try:
        return validate_address(text)
    except RefusedError as error:
        raise UnreadableFileError(path, str(error), line=line) from error
