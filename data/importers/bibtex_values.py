"""Evaluate BibTeX fields: concatenate strings at ``#``, and inherit fields through ``crossref``."""

import re
from collections.abc import Iterator, Mapping

from bibtexparser.model import Entry as Reference

from presort.data.importers.fields import MONTHS as MONTH_NAMES

Fields = Mapping[str, str]  # mapping from lower-case field names to values

MONTHS: Fields = {name[:3]: name for name in MONTH_NAMES}
PART = re.compile(r"[{}\"#]|\\.", re.DOTALL)
# Fields that a paper inherits from its book or proceedings, mapped to their names in the paper.
INHERITED = {
    "title": "booktitle",
    **{name: name for name in ("booktitle", "year", "month", "date", "series", "publisher")},
}
MOST_PARENTS = 10  # maximum length of a chain of crossrefs, which is endless if entries refer to each other


def fields_of(entry: Reference, strings: Fields) -> tuple[dict[str, str], list[str]]:
    """Return an entry's fields, and the names of fields that are repeated with different values.

    If keyword fields are repeated, their values are joined. For any other repeated field, the first non-empty value is
    used.

    Parameters
    ----------
    strings : mapping from str to str
        Values of ``@string`` definitions and month abbreviations, by name in lower case.
    """
    fields: dict[str, str] = {}
    twice: dict[str, None] = {}
    for field in entry.fields:
        name, value = field.key.lower(), value_of(str(field.value), strings)
        if not fields.get(name):
            fields[name] = value
        elif name == "keywords":
            fields[name] += f"; {value}" if value not in re.split(r"\s*[;,]\s*", fields[name]) else ""
        elif value and value != fields[name]:
            twice[name] = None
    return fields, list(twice)


def with_inherited(fields: Fields, parents: Mapping[str, Fields]) -> Fields:
    """Add the fields that an entry inherits through ``crossref``. `parents` contains every entry's fields, by key."""
    whole = dict(fields)
    for _ in range(MOST_PARENTS):
        parent = parents.get(fields.get("crossref", "").strip().lower())
        if parent is None:
            break
        for name, own in INHERITED.items():
            if parent.get(name):
                whole.setdefault(own, parent[name])
        fields = parent
    return whole


def value_of(raw: str, strings: Fields) -> str:
    """Evaluate a field's value: concatenate its parts, expand named strings, and remove the delimiters.

    Examples
    --------
    >>> value_of('{Wages} # " and " # aer', {"aer": "jobs"})
    'Wages and jobs'
    >>> value_of('"a {"}quoted{"} # b"', {}), value_of("2019", {})
    ('a {"}quoted{"} # b', '2019')
    """
    return "".join(_part(part.strip(), strings) for part in _parts(raw))


def _parts(raw: str) -> Iterator[str]:
    """Split a value into parts at each ``#`` that is outside braces and quotes."""
    start = depth = 0
    is_quoted = False
    for found in PART.finditer(raw) if "#" in raw else ():
        sign = found[0]
        if sign == "{":
            depth += 1
        elif sign == "}":
            depth -= 1
        elif sign == '"' and depth == 0:
            is_quoted = not is_quoted
        elif sign == "#" and depth == 0 and not is_quoted:
            yield raw[start : found.start()]
            start = found.end()
    yield raw[start:]


def _part(part: str, strings: Fields) -> str:
    if len(part) > 1 and part[0] + part[-1] in ("{}", '""'):
        return part[1:-1]
    return strings.get(part.lower(), part)
