"""Text files in any encoding that producers write: UTF-8, UTF-16 or Windows-1252, with or without a byte order mark.

A file that is not UTF-8 throughout is one of two things. Either a program wrote all of it in Windows-1252 (which holds
Latin-1), or it was joined from several sources and is UTF-8 but for some stray bytes. Both are read, and reported.
Other one-byte encodings can't be distinguished from Windows-1252 on the few names with accents of a small file, so they
are not guessed: a wrong guess would change names without a trace.
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

CHUNK = 1024 * 1024  # bytes
HEAD = 4_096  # bytes; enough to recognise UTF-16 without a byte order mark
MARKS = {  # UTF-32 first: its little-endian mark begins as that of UTF-16
    codecs.BOM_UTF32_LE: "utf-32",
    codecs.BOM_UTF32_BE: "utf-32",
    codecs.BOM_UTF8: "utf-8-sig",
    codecs.BOM_UTF16_LE: "utf-16",
    codecs.BOM_UTF16_BE: "utf-16",
}
MOST_STRAY = 20  # bytes listed line by line; a file with more of them, and hardly any UTF-8, is all Windows-1252
STRAY = re.compile(r"[\udc80-\udcff]+")  # surrogates that replace bytes that are not UTF-8
HIGH = re.compile(rb"[\xc2-\xdf][\x80-\xbf]|[\xe0-\xef][\x80-\xbf]{2}|[\xf0-\xf4][\x80-\xbf]{3}|([\x80-\xff])")
CONTROL_BYTES = bytes([*range(9), 11, 12, *range(14, 32), 127])  # all but tab and line breaks
CONTROL = re.compile(f"[{re.escape(CONTROL_BYTES.decode())}]")
NOT_UTF8 = "not UTF-8; read as Windows-1252"
STRAY_BYTES = "bytes that are not UTF-8; read as Windows-1252"
CONTROL_CHARACTERS = "control characters; replaced by spaces"
DAMAGED = "damaged {}; replaced by question marks"
REPLACING = "presort-replace"


def _replace(error: UnicodeError) -> tuple[str, int]:
    """Replace a damaged character, but drop the half of one at the end of a file that was cut off."""
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return "" if error.reason == "truncated data" else "\N{REPLACEMENT CHARACTER}", error.end


codecs.register_error(REPLACING, _replace)


@dataclass(frozen=True, slots=True)
class TextSource:
    """Text file of known encoding.

    Attributes
    ----------
    path : Path
    encoding, errors : str
        Arguments of `open`.
    has_faults : bool
        True if some text of it needs `repaired`. Most files skip that step.
    note : str
        Repair of the whole file; empty if there is none.
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
        """Report the repair of the whole file, if there is one."""
        if self.note:
            problems.repair(Repair(self.path.name, self.note))


def repaired(text: str) -> tuple[str, str]:
    r"""Return a text without stray bytes and control characters, and the repairs. Empty if there were none.

    Examples
    --------
    >>> repaired("M\udcfcller\x02")
    ('Müller ', 'bytes that are not UTF-8; read as Windows-1252')
    >>> repaired("Müller")
    ('Müller', '')
    """
    whole = decoded(text)
    plain = CONTROL.sub(" ", whole)
    if whole != text:
        return plain, STRAY_BYTES
    return plain, CONTROL_CHARACTERS if plain != text else ""


def decoded(text: str) -> str:
    r"""Return a text of a `TextSource` with its stray bytes read as Windows-1252.

    Examples
    --------
    >>> decoded("M\udcfcller")
    'Müller'
    """
    return STRAY.sub(_as_windows_1252, text)


def _as_windows_1252(found: re.Match[str]) -> str:
    return found[0].encode("ascii", "surrogateescape").decode("cp1252", "replace")


def text_source(path: Path) -> TextSource:
    """Return a text file with its encoding, which is found by reading all of it.

    Raises
    ------
    OSError
        If the file can't be read.
    """
    with path.open("rb") as file:
        encoding = encoding_of(file.read(HEAD))
    return _survey_bytes(path, encoding) if encoding == "utf-8-sig" else _survey_text(path, encoding)


def encoding_of(head: bytes) -> str:
    """Return the encoding of a text by its first bytes: UTF-8 unless they have another mark, or look like UTF-16.

    Examples
    --------
    >>> encoding_of("Wages".encode("utf-16-le")), encoding_of(b"Wages")
    ('utf-16-le', 'utf-8-sig')
    """
    if marked := next((name for mark, name in MARKS.items() if head.startswith(mark)), ""):
        return marked
    # In Latin letters every other byte is 0.
    for encoding, zeros, others in (("utf-16-le", head[1::2], head[::2]), ("utf-16-be", head[::2], head[1::2])):
        if 2 * zeros.count(0) > len(zeros) and 10 * others.count(0) < len(others):
            return encoding
    return "utf-8-sig"


def _survey_bytes(path: Path, encoding: str) -> TextSource:
    """Look for control characters and bytes that are not UTF-8."""
    high, n_controls, rest, is_utf8 = Counter[bool](), 0, b"", True
    with path.open("rb") as file:
        while chunk := file.read(CHUNK):
            n_controls += len(chunk) - len(chunk.translate(None, CONTROL_BYTES))
            content = rest + chunk
            try:
                rest = content[codecs.utf_8_decode(content, "strict", False)[1] :]  # a character may be cut in two
            except UnicodeDecodeError:
                is_utf8, rest = False, b""
                high.update(map(bool, HIGH.findall(content)))
    n_stray, n_valid = high[True] + len(rest), high[False]
    if n_stray > max(MOST_STRAY, 10 * n_valid):
        return TextSource(path, "cp1252", "replace", bool(n_controls), NOT_UTF8)
    return TextSource(path, encoding, has_faults=bool(rest or n_controls or not is_utf8))


def _survey_text(path: Path, encoding: str) -> TextSource:
    """Look for control characters and damage in a file of UTF-16 or UTF-32."""
    has_controls, note = False, ""
    with path.open(encoding=encoding, errors="surrogatepass") as file:
        try:
            while not has_controls and (chunk := file.read(CHUNK)):
                has_controls = CONTROL.search(chunk) is not None
        except UnicodeDecodeError:
            has_controls, note = True, DAMAGED.format(encoding[:6].upper())
    return TextSource(path, encoding, REPLACING, has_controls, note)


def read_lines(path: Path, problems: Problems, *, longest: int) -> Iterator[tuple[int, str]]:
    """Yield the lines of a text file with their numbers, from 1, repaired, each with its line break.

    Parameters
    ----------
    longest : int
        Characters that a line may have: one without end would fill the memory.

    Raises
    ------
    UnreadableFileError
        If a line is longer. Raised while iterating.
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
                fault = f"the line is longer than {longest:,} characters; nothing beyond it was read"
                raise UnreadableFileError(path, fault, line=number)
            if source.has_faults:
                line, reason = repaired(line)
                if reason:
                    problems.repair(Repair(path.name, reason, line=number))
            # A file may be several others end to end, marks and all.
            yield number, line.lstrip("\ufeff") if line[0] == "\ufeff" else line
