"""What the review list in the browser says, checked: nothing that comes from there can be trusted."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from data.records import Word

Order = Literal["presort", "received"]

MOST_ENTRIES = 500
LONGEST_ID = 500  # characters, of a paper's id
LONGEST_TAG = 100
MOST_TAGS = 50
LONGEST_NOTE = 10_000
LARGEST = 2**53 - 1  # the last whole number that the browser counts exactly
ENTRY_ID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")  # databases refuse these


@dataclass(frozen=True, slots=True)
class Decided:
    """A word on a paper; `entry_id` is made in the browser, so that what comes twice counts once."""

    entry_id: str
    paper_id: str
    word: Word


@dataclass(frozen=True, slots=True)
class ReadTo:
    """The reader says to have read down to a paper in one of the orders."""

    entry_id: str
    paper_id: str
    order: Order


@dataclass(frozen=True, slots=True)
class Tagged:
    """All tags that a paper has now."""

    entry_id: str
    paper_id: str
    tags: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Noted:
    """The note on a paper, empty where it was deleted."""

    entry_id: str
    paper_id: str
    text: str


@dataclass(frozen=True, slots=True)
class Asked:
    """A paper was opened: why it stands where it stands is wanted."""

    entry_id: str
    paper_id: str


Entry = Decided | ReadTo | Tagged | Noted | Asked


@dataclass(frozen=True, slots=True)
class Sent:
    """One message.

    Attributes
    ----------
    number : int or None
        Counts the messages of a browser's page; None where it sent nothing, as when the page is first drawn.
    seen : int or None
        `Reply.up_to` of the newest reply that came in; None where everything is to be told.
    entries : tuple
        In the order in which they were made.
    refused : mapping from str to str
        Why entries, by id, were not understood.
    """

    number: int | None = None
    seen: int | None = None
    entries: tuple[Entry, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)


def read(value: object) -> Sent:
    """Read a message.

    An entry that can't be read is refused by itself, so that it doesn't keep the others from being saved.

    Raises
    ------
    ValueError
        If it is none of the list's messages at all.

    Examples
    --------
    >>> entry = {"id": "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11", "kind": "decided", "paper": "p1", "word": "yes"}
    >>> read({"n": 1, "seen": 7, "entries": [entry]}).entries
    (Decided(entry_id='0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11', paper_id='p1', word='yes'),)
    """
    message = _mapping(value)
    number, seen = (_count_or_none(message, name) for name in ("n", "seen"))
    listed = message.get("entries")
    if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
        raise ValueError(f"entries must be a list of at most {MOST_ENTRIES}")
    entries: list[Entry] = []
    refused = {}
    for one in listed:
        given = _mapping(one)
        entry_id = _matching(given, "id")
        try:
            entries.append(_entry(entry_id, given))
        except ValueError as error:
            refused[entry_id] = str(error)
    return Sent(number, seen, tuple(entries), refused)


def _entry(entry_id: str, given: Mapping[str, Any]) -> Entry:
    kind = given.get("kind")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise ValueError(f"kind must be one of {', '.join(READERS)}")
    return reader(entry_id, _text(given, "paper", LONGEST_ID), given)


def _decided(entry_id: str, paper_id: str, given: Mapping[str, Any]) -> Decided:
    return Decided(entry_id, paper_id, cast("Word", _one_of(given, "word", get_args(Word))))


def _read_to(entry_id: str, paper_id: str, given: Mapping[str, Any]) -> ReadTo:
    return ReadTo(entry_id, paper_id, cast("Order", _one_of(given, "order", get_args(Order))))


def _tagged(entry_id: str, paper_id: str, given: Mapping[str, Any]) -> Tagged:
    tags = given.get("tags")
    if not isinstance(tags, list) or len(tags) > MOST_TAGS:
        raise ValueError(f"tags must be a list of at most {MOST_TAGS}")
    return Tagged(entry_id, paper_id, tuple(_text({"tag": tag}, "tag", LONGEST_TAG) for tag in tags))


def _noted(entry_id: str, paper_id: str, given: Mapping[str, Any]) -> Noted:
    return Noted(entry_id, paper_id, _text(given, "text", LONGEST_NOTE, may_be_empty=True))


def _asked(entry_id: str, paper_id: str, given: Mapping[str, Any]) -> Asked:
    return Asked(entry_id, paper_id)


READERS: Mapping[str, Callable[[str, str, Mapping[str, Any]], Entry]] = {
    "decided": _decided,
    "read": _read_to,
    "tagged": _tagged,
    "noted": _noted,
    "asked": _asked,
}


def _mapping(value: object) -> Mapping[str, Any]:
    if not isinstance(value, Mapping):
        raise ValueError(f"a mapping was expected, not {type(value).__name__}")
    return value


def _count_or_none(given: Mapping[str, Any], name: str) -> int | None:
    value = given.get(name)
    if value is not None and (type(value) is not int or not 0 <= value <= LARGEST):
        raise ValueError(f"{name} must be a whole number or missing")
    return value


def _matching(given: Mapping[str, Any], name: str) -> str:
    value = given.get(name)
    if not isinstance(value, str) or not ENTRY_ID.fullmatch(value):
        raise ValueError(f"{name} must be a UUID in lower case")
    return value


def _text(given: Mapping[str, Any], name: str, longest: int, *, may_be_empty: bool = False) -> str:
    value = given.get(name)
    if not isinstance(value, str) or len(value) > longest or not (value or may_be_empty):
        raise ValueError(f"{name} must be a text of at most {longest} characters")
    if UNSTORABLE.search(value):
        raise ValueError(f"{name} holds characters that are no text")
    return value


def _one_of(given: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    value = given.get(name)
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}")
    return cast("str", value)
