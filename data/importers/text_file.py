"""Read text files in UTF-8, UTF-16, UTF-32 or Windows-1252, with or without a byte order mark.

A file that isn't valid UTF-8 either is entirely in Windows-1252 (a superset of Latin-1), or was joined from several
sources and is UTF-8 with some stray bytes. Both kinds of files are read, and reported as repaired. Other one-byte
encodings are not guessed, because the few accented names in a small file don't suffice to tell them apart from
Windows-1252, and a wrong guess would silently corrupt names.
"""

import codecs
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import Problems, Repair

CHUNK = 1024 * 1024  # number of bytes to read at a time
HEAD = 4_096  # number of bytes that suffices to recognise UTF-16 without a byte order mark
MARKS = {  # UTF-32 comes first, because its little-endian mark begins with the mark of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
MOST_STRAY = 20  # a file with more stray bytes than this and hardly any UTF-8 is entirely in Windows-1252
STRAY = re.compile(r"[\udc80-\udcff]+")  # surrogates that surrogateescape substitutes for bytes that are not UTF-8
HIGH = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|([\x80-\xff])")
CONTROL_BYTES = bytes([*range(9), 11, 12, *range(14, 32), 127])  # all control characters except tab and line breaks
CONTROL = re.compile(f"[{re.escape(CONTROL_BYTES.decode())}]")
NOT_UTF8 = "the file is not valid UTF-8, so it was read as Windows-1252"
STRAY_BYTES = "bytes that are not valid UTF-8 were read as Windows-1252"
CONTROL_CHARACTERS = "control characters were replaced by spaces"
DAMAGED = "damaged {} characters were replaced by question marks"
REPLACING = "presort-replace"


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace a damaged character with U+FFFD, or remove an incomplete character at the end of the file."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "" if error.reason == "truncated data" else "\N{REPLACEMENT CHARACTER}", error.end


codecs.register_error(REPLACING, _replace)


@dataclass(frozen=True, slots=True)
class TextSource:
    """Text file with its detected encoding.

    Attributes
    ----------
    path : Path
    encoding, errors : str
        Arguments to pass to `open`.
    has_faults : bool
        True if the file contains stray bytes or control characters, so that its text must be passed to `repair_text`.
    note : str
        Description of the repair made to the whole file. Empty if there was none.
    """

    path: Path
    encoding: str
    errors: str = "surrogateescape"
    has_faults: bool = False
    note: str = ""

    def open(self, newline: str | None = None) -> TextIO:
        """Open the file for reading."""
        return self.path.open(encoding=self.encoding, errors=self.errors, newline=newline)

    def report(self, problems: Problems) -> None:
        """Report the repair made to the whole file, if any."""
        if self.note:
            problems.repair(Repair(self.path.name, self.note))


def repair_text(text: str) -> tuple[str, str]:
    r"""Repair stray bytes and control characters. Return the text and a description of the repair, or "" if none.

    Examples
    --------
    >>> repair_text("M\udcfcller\x02")
    ('Müller ', 'bytes that are not valid UTF-8 were read as Windows-1252')
    >>> repair_text("Müller")
    ('Müller', '')
    """
    whole = decode_stray_bytes(text)
    plain = CONTROL.sub(" ", whole)
    if whole != text:
        return plain, STRAY_BYTES
    return plain, CONTROL_CHARACTERS if plain != text else ""


def decode_stray_bytes(text: str) -> str:
    r"""Decode stray bytes in text from a `TextSource` as Windows-1252.

    Examples
    --------
    >>> decode_stray_bytes("M\udcfcller")
    'Müller'
    """
    return STRAY.sub(_decode_windows_1252, text)


def _decode_windows_1252(found: re.Match[str]) -> str:
    return found[0].encode("ascii", "surrogateescape").decode("cp1252", "replace")


def text_source(path: Path) -> TextSource:
    """Detect a text file's encoding by reading the whole file.

    Raises
    ------
    OSError
        If the file can't be read.
    """
    with path.open("rb") as file:
        encoding = encoding_of(file.read(HEAD))
    return _survey_bytes(path, encoding) if encoding == "utf-8-sig" else _survey_text(path, encoding)


def encoding_of(head: bytes) -> str:
    """Guess a text's encoding from its first bytes.

    The result is UTF-8 unless the text begins with another encoding's byte order mark or looks like UTF-16.

    Examples
    --------
    >>> encoding_of("Wages".encode("utf-16-le")), encoding_of(b"Wages")
    ('utf-16-le', 'utf-8-sig')
    """
    if marked := next((name for mark, name in MARKS.items() if head.startswith(mark)), ""):
        return marked
    # In UTF-16, every other byte in Latin text is 0.
    for encoding, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if 2 * zeros.count(0) > len(zeros) and 10 * others.count(0) < len(others):
            return encoding
    return "utf-8-sig"


def _survey_bytes(path: Path, encoding: str) -> TextSource:
    """Search a file for control characters and bytes that are not UTF-8."""
    high, n_controls, rest, is_utf8 = Counter[bool](), 0, b"", True
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            n_controls += len(chunk) - len(chunk.translate(None, CONTROL_BYTES))
            content = rest + chunk
            try:
                rest = content[codecs.utf_8_decode(content, "strict", False)[1] :]  # a character may span two chunks
            except UnicodeDecodeError:
                is_utf8, rest = False, b""
                high.update(map(bool, HIGH.findall(content)))
    n_stray, n_valid = high[True] + len(rest), high[False]
    if n_stray > max(MOST_STRAY, 10 * n_valid):
        return TextSource(path, "cp1252", "replace", bool(n_controls), NOT_UTF8)
    return TextSource(path, encoding, has_faults=bool(rest or n_controls or not is_utf8))


def _survey_text(path: Path, encoding: str) -> TextSource:
    """Search a UTF-16 or UTF-32 file for control characters and damage."""
    has_controls, note = False, ""
    with path.open(encoding=encoding, errors="surrogatepass") as file:
        try:
            while not has_controls and (chunk := file.read(CHUNK)):
                has_controls = CONTROL.search(chunk) is not None
        except UnicodeDecodeError:
            has_controls, note = True, DAMAGED.format(encoding[:6].upper())
    return TextSource(path, encoding, REPLACING, has_controls, note)


def read_lines(path: Path, problems: Problems, *, longest: int) -> Iterator[tuple[int, str]]:
    """Yield the repaired lines in a text file, with 1-based line numbers. Each line includes its line break.

    Parameters
    ----------
    problems : Problems
        Receives each repair.
    longest : int
        Maximum number of characters in a line. The length is limited, because an endless line would fill the memory.

    Raises
    ------
    UnreadableFileError
        If a line is longer than `longest`. The error is raised during iteration.
    OSError
        If the file can't be read.
    """
    source = text_source(path)
    source.report(problems)
    with source.open() as file:
        number = 0
        while line := file.readline(longest + 1):
            number += 1
            if len(line) > longest:
                fault = f"the line has more than {longest:,} characters. The rest of the file was not read"
                raise UnreadableFileError(path, fault, line=number)
            if source.has_faults:
                line, reason = repair_text(line)
                if reason:
                    problems.repair(Repair(path.name, reason, line=number))
            # A file joined from other files may have byte order marks in the middle.
            yield number, line.lstrip("\ufeff") if line[0] == "\ufeff" else line
