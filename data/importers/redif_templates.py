"""ReDIF as text: the templates of a file and their fields, whatever they describe.

A template is a run of ``Name: value`` lines, opened by ``Template-Type``; a line that opens no field carries the value
above it on. Lines that begin with ``#`` are comments. Archives deviate from the format: templates contain empty lines,
continuation lines are not indented, a name is written ``Classification- JEL``, and one file mixes encodings.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import lru_cache
from pathlib import Path

from presort.data.errors import UnreadableFileError
from presort.data.importers.problems import STRICT, Problems
from presort.data.importers.references import naming
from presort.data.importers.text_file import read_lines

LARGEST_TEMPLATE = 1_000_000  # characters, of a line too; anything larger is no description of a paper
LONGEST_NAME = 60  # characters; a colon further on belongs to prose
HYPHENATED_NAME = re.compile(r"[a-z]+(-[a-z0-9#]+)+")
AROUND_HYPHEN = re.compile(r"\s*-\s*")
STRAY = "comes before any Template-Type line; is this ReDIF?"
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
        Kind of template, in lower case: ``paper`` for ReDIF-Paper, ``series`` for ReDIF-Series; empty if it does
        not say so.
    line : int
        Of the file, that opens it, from 1.
    fields : list of (str, list of str)
        Names in lower case, each with the lines of its value, in file order. A name may occur several times.
    """

    kind: str
    line: int
    fields: list[tuple[str, list[str]]] = field(default_factory=list)

    def values(self, name: str) -> list[str]:
        """Return the values of all fields of a name, in file order, lines joined by a line break."""
        return ["\n".join(lines) for own, lines in self.fields if own == name]


def read_templates(path: Path, problems: Problems = STRICT) -> Iterator[Template]:
    """Yield the templates of a file, in file order.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives text before the first template, each template that is larger than 1 MB, and each repair of a line.

    Raises
    ------
    UnreadableFileError
        If the file is missing or holds no template; the message names the line. Raised while iterating.
    """
    template, stray = None, None
    size = 0
    with naming(path):
        for number, line in read_lines(path, problems, longest=LARGEST_TEMPLATE):
            if line.startswith("#") and _is_comment(line, is_in_template=template is not None):
                continue
            name, value = _split(line)
            if name == "template-type":
                if template:
                    yield from _whole(path, template, size, problems)
                elif stray:
                    problems.skip(stray)
                template, size = Template(_kind(value), number), 0
            elif template is None:
                if line.strip() and stray is None:
                    stray = UnreadableFileError(path, STRAY, line=number)
            elif size > LARGEST_TEMPLATE:
                template.fields.clear()
            elif name:
                template.fields.append((name, [value]))
            elif template.fields:
                template.fields[-1][1].append(line)
            size += len(line)
    if not template:
        raise stray or UnreadableFileError(path, "holds no template; a Template-Type line opens one")
    yield from _whole(path, template, size, problems)


def _whole(path: Path, template: Template, size: int, problems: Problems) -> Iterator[Template]:
    """Yield a template unless it is too large."""
    if size <= LARGEST_TEMPLATE:
        yield template
    else:
        reason = f"this template is larger than {LARGEST_TEMPLATE:,} characters; is this ReDIF?"
        problems.skip(UnreadableFileError(path, reason, line=template.line))


def _is_comment(line: str, *, is_in_template: bool) -> bool:
    """Return whether a line is a comment and not the next line of a value, such as "#MeToo and wages"."""
    return not is_in_template or not line[1:2].isalnum() or _split(line[1:])[0] != ""


def _split(line: str) -> tuple[str, str]:
    """Return name and value of a line that opens a field, or two empty texts."""
    end = line.find(":", 0, LONGEST_NAME)
    name = _name(line[:end]) if end > 0 else ""
    return (name, line[end + 1 :]) if name else ("", "")


@lru_cache(maxsize=1_000)
def _name(text: str) -> str:
    """Return the name of a field in lower case, or nothing where the text before a colon is none.

    An indented line carries a value on. Only the line that opens a template counts at any position: overlooked,
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
