"""Values that came from a browser, each given back only if it is what it must be."""

import re
from collections.abc import Mapping
from typing import Any, cast

LARGEST = 2**53 - 1  # the last whole number that the browser counts exactly
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")  # databases refuse these


def mapping(value: object) -> Mapping[str, Any]:
    """Return a value that must be a mapping."""
    if not isinstance(value, Mapping):
        raise ValueError(f"a mapping was expected, not {type(value).__name__}")
    return value


def count_or_none(given: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number from 0 on, or None where it is missing."""
    value = given.get(name)
    if value is not None and (type(value) is not int or not 0 <= value <= LARGEST):
        raise ValueError(f"{name} must be a whole number or missing")
    return value


def flag(given: Mapping[str, Any], name: str) -> bool:
    """Return a truth value."""
    value = given.get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false")
    return value


def uuid(given: Mapping[str, Any], name: str) -> str:
    """Return a UUID in lower case."""
    value = given.get(name)
    if not isinstance(value, str) or not UUID.fullmatch(value):
        raise ValueError(f"{name} must be a UUID in lower case")
    return value


def text(given: Mapping[str, Any], name: str, longest: int, *, may_be_empty: bool = False) -> str:
    """Return a text that can be stored, of at most so many characters."""
    value = given.get(name)
    if not isinstance(value, str) or len(value) > longest or not (value or may_be_empty):
        raise ValueError(f"{name} must be a text of at most {longest} characters")
    if UNSTORABLE.search(value):
        raise ValueError(f"{name} holds characters that are no text")
    return value


def one_of(given: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    """Return one of the texts allowed."""
    value = given.get(name)
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}")
    return cast("str", value)
