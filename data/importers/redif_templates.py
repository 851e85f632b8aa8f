"""Parser that splits a ReDIF file into templates of any type, and each template into fields.

A template is a block of ``Name: value`` lines that begins with ``Template-Type``. A line without a field name continues
the value above it. Lines that begin with ``#`` are comments. Some archives deviate from the format: templates contain
empty lines, continuation lines are not indented, a name is written ``Classification- JEL``, or a file mixes encodings.
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

LARGEST_TEMPLATE = 1_000_000  # maximum number of characters in a template or a line; far more than any paper needs
LONGEST_NAME = 60  # maximum number of characters in a field name; a colon further right is part of the text
HYPHENATED_NAME = re.compile(r"[a-z]+(-[a-z0-9#]+)+")
AROUND_HYPHEN = re.compile(r"\s*-\s*")
STRAY = "text before the first Template-Type line. Is this a ReDIF file?"
KIND = re.compile(r"\s*redif-([a-z]+)", re.IGNORECASE)

# All field names without a hyphen. Any other word before a colon is part of the text: 'Results: wages rose'.
PLAIN_NAME = re.compile(
    "abstract|availability|description|doi|edition|editor|email|handle|homepage|isbn|issn|issue|journal|keywords|"
    "language|length|month|name|notes?|notification|number|pages|price|publisher|restriction|series|title|type|url|"
    "volume|year"
)


@dataclass(slots=True)
class Template:
    """Template in a ReDIF file.

    Attributes
    ----------
    kind : str
        Template type in lower case, such as ``paper`` for ReDIF-Paper. Empty if the type is missing.
    line : int
        1-based number of the template's first line in the file.
    fields : list of (str, list of str)
        Field names in lower case, each with the lines of its value, in file order. A name may occur more than once.
    """

    kind: str
    line: int
    fields: list[tuple[str, list[str]]] = field(default_factory=list)

    def values(self, name: str) -> list[str]:
        """Return the values of all fields with this name, in file order. A value's lines are joined by line breaks."""
        return ["\n".join(lines) for own, lines in self.fields if own == name]


def read_templates(path: Path, problems: Problems = STRICT) -> Iterator[Template]:
    """Yield the templates in a file, in file order.

    Parameters
    ----------
    path : Path
    problems : Problems
        Receives each repaired line. Also receives an error if there is text before the first template, and for each
        template of more than 1,000,000 characters.

    Raises
    ------
    UnreadableFileError
        If the file is missing or contains no template. The message names the line. The error is raised during
        iteration.
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
        raise stray or UnreadableFileError(path, "contains no template. A template begins with a Template-Type line")
    yield from _whole(path, template, size, problems)


def _whole(path: Path, template: Template, size: int, problems: Problems) -> Iterator[Template]:
    """Yield a template, or report it to `problems` if it is too large."""
    if size <= LARGEST_TEMPLATE:
        yield template
    else:
        reason = f"the template has more than {LARGEST_TEMPLATE:,} characters. Is this a ReDIF file?"
        problems.skip(UnreadableFileError(path, reason, line=template.line))


def _is_comment(line: str, *, is_in_template: bool) -> bool:
    """Return True if a line that begins with # is a comment, not part of a value such as "#MeToo and wages"."""
    return not is_in_template or not line[1:2].isalnum() or _split(line[1:])[0] != ""


def _split(line: str) -> tuple[str, str]:
    """Return the name and value from a line that begins a field, or two empty strings for any other line."""
    end = line.find(":", 0, LONGEST_NAME)
    name = _name(line[:end]) if end > 0 else ""
    return (name, line[end + 1 :]) if name else ("", "")


@lru_cache(maxsize=1_000)
def _name(text: str) -> str:
    """Return the field name before a colon, in lower case, or an empty string if the text isn't a field name.

    An indented line continues a value, except that ``Template-Type`` may be indented, because overlooking it would lose
    a paper.
    """
    name = AROUND_HYPHEN.sub("-", text.strip().lower())
    if name == "template-type":
        return name
    is_name = HYPHENATED_NAME.fullmatch(name) or PLAIN_NAME.fullmatch(name)
    return name if is_name and not text[0].isspace() else ""


def _kind(value: str) -> str:
    kind = KIND.match(value)
    return kind[1].lower() if kind else ""
