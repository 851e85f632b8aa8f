"""ReDIF as text: the templates of a file and their fields, whatever they describe.

A template is a run of ``Name: value`` lines, opened by ``Template-Type``; a line that opens no field carries the value
above it on. What archives serve is looser than the format: empty lines stand inside templates, continued lines are
not indented, a name is written ``Classification- JEL``, and one file mixes encodings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from data.errors import UnreadableFileError

LARGEST_TEMPLATE = 1_000_000  # bytes, of a line too; anything larger is no description of a paper
LONGEST_NAME = 60  # characters; what stands before a colon further on is prose
HYPHENATED_NAME = re.compile(r"[a-z]+(-[a-z0-9#]+)+")
AROUND_HYPHEN = re.compile(r"\s*-\s*")
KIND = re.compile(r"\s*redif-([a-z]+)", re.IGNORECASE)

# A name without a hyphen is one of these. Any other word before a colon opens a sentence: 'Results: wages rose'.
PLAIN_NAME = re.compile(
    "abstract|availability|description|doi|edition|editor|email|handle|homepage|isbn|issn|issue|journal|keywords|"
    "language|length|month|name|notes?|notification|number|pages|price|publisher|restriction|series|title|type|url|"
    "volume|year"
)


@dataclass(slots=True)
class Template:
    """One template.

    Attributes
    ----------
    kind : str
        What it describes, in lower case: ``paper`` for ReDIF-Paper, ``series`` for ReDIF-Series; empty where it does
        not say so.
    line : int
        Of the file, that opens it, from 1.
    fields : list of (str, list of str)
        Names in lower case, each with the lines of its value, in file order; names may stand several times.
    """

    kind: str
    line: int
    fields: list[tuple[str, list[str]]] = field(default_factory=list)

    def values(self, name: str) -> list[str]:
        """Return the values of all fields of a name, in file order, lines joined by a line break."""
        return ["\n".join(lines) for own, lines in self.fields if own == name]


def read_templates(path: Path) -> Iterator[Template]:
    """Yield the templates of a file, in file order.

    Lines are UTF-8, with or without a mark; one that isn't is taken as Windows-1252, which holds Latin-1.

    Raises
    ------
    UnreadableFileError
        If the file is missing, holds no template or text before the first one, or if a template is larger than 1 MB;
        the message names the line. Raised while iterating.
    """
    template = None
    size = 0
    for number, line in _lines(path):
        name, value = _split(line)
        if name == "template-type":
            if template:
                yield template
            template, size = Template(_kind(value), number), 0
        elif template is None:
            if line.strip():
                raise UnreadableFileError(path, "stands before any Template-Type line; is this ReDIF?", line=number)
        elif name:
            template.fields.append((name, [value]))
        elif template.fields:
            template.fields[-1][1].append(line)
        size += len(line)
        if size > LARGEST_TEMPLATE:
            reason = f"this template is larger than {LARGEST_TEMPLATE:,} bytes; is this ReDIF?"
            raise UnreadableFileError(path, reason, line=template.line if template else number)
    if not template:
        raise UnreadableFileError(path, "holds no template; a Template-Type line opens one")
    yield template


def _lines(path: Path) -> Iterator[tuple[int, str]]:
    try:
        # Latin-1 takes every byte; as text, the file ends its lines at the line breaks of all systems.
        with path.open(encoding="latin-1") as file:
            number = 0
            while line := file.readline(LARGEST_TEMPLATE + 1):
                number += 1
                if len(line) > LARGEST_TEMPLATE:
                    reason = f"is longer than {LARGEST_TEMPLATE:,} bytes; is this ReDIF?"
                    raise UnreadableFileError(path, reason, line=number)
                yield number, line if line.isascii() else _decoded(line.encode("latin-1"))
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error


def _decoded(line: bytes) -> str:
    try:
        return line.decode("utf-8-sig")  # -sig on every line: a file may be several others end to end, marks and all
    except UnicodeDecodeError:
        return line.decode("cp1252", errors="replace")


def _split(line: str) -> tuple[str, str]:
    """Return name and value of a line that opens a field, or two empty texts."""
    end = line.find(":", 0, LONGEST_NAME)
    name = _name(line[:end]) if end > 0 else ""
    return (name, line[end + 1 :]) if name else ("", "")


@lru_cache(maxsize=1_000)
def _name(text: str) -> str:
    """Return the name of a field in lower case, or nothing where the text before a colon is none.

    An indented line carries a value on. Only the one that opens a template counts wherever it stands: overlooked,
    it would lose a paper.
    """
    name = AROUND_HYPHEN.sub("-", text.strip().lower())
    if name == "template-type":
        return name
    is_name = HYPHENATED_NAME.fullmatch(name) or PLAIN_NAME.fullmatch(name)
    return name if is_name and not text[0].isspace() else ""


def _kind(value: str) -> str:
    kind = KIND.match(value)
    return kind[1].lower() if kind else ""
