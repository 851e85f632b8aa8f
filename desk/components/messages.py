"""Parse and validate messages of the review list in the browser, which are untrusted."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from presort.data.records import LONGEST_ID, Label, Order
from presort.ranker.stopping.forecast import TargetRecall

Effect = Literal["mute", "boost", "none"]
Filter = Literal["all", "undecided", "yes", "maybe", "no", "drawn"]

MOST_ENTRIES = 500
LONGEST_TAG = 100  # characters
LONGEST_NOTE = 10_000
LONGEST_QUERY = 500
LONGEST_TERM = 100
LARGEST = 2**53 - 1  # the last whole number that the browser counts exactly
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")  # databases refuse these


@dataclass(frozen=True, slots=True)
class Decided:
    """Decision on a paper, and the order in which the list was shown at the time.

    `entry_id` is made in the browser, so that a repeated entry counts once. `ranking` is the number of the ranking that
    sorted the list, and `reranking` that of the re-ranked order, if any. They are needed because an entry stored while
    the connection was lost may arrive after a newer one. If `ranking` is None, both are those that the server shows.
    `is_alone` is True if a search, a tag or a filter left out undecided papers, or if some papers above were never in
    view.
    """

    entry_id: str
    paper_id: str
    label: Label
    order: Order
    ranking: int | None = None
    is_alone: bool = False
    reranking: int | None = None


@dataclass(frozen=True, slots=True)
class ReadTo:
    """The list was read down to a paper, in one of the orders, named as in `Decided`."""

    entry_id: str
    paper_id: str
    order: Order
    ranking: int | None = None
    reranking: int | None = None


@dataclass(frozen=True, slots=True)
class Tagged:
    """A tag was put on a paper, or taken off it."""

    entry_id: str
    paper_id: str
    tag: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class Noted:
    """Note on a paper. Empty if it was deleted."""

    entry_id: str
    paper_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ExplanationRequest:
    """A paper was opened: request to explain its rank."""

    entry_id: str
    paper_id: str


@dataclass(frozen=True, slots=True)
class MissChosen:
    """Target recall that the reader chose."""

    entry_id: str
    target_recall: TargetRecall


@dataclass(frozen=True, slots=True)
class SpotCheckRequest:
    """Request to draw a spot check from the unread papers below the stop point."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """Request to rank the unread papers again, with the decisions made in the list."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class UndoRerank:
    """Request to go back to the order before the one that the list shows."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class ShowNewestOrder:
    """Request to show the order that somebody else gave the list."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class Hinted:
    """A term was muted or boosted for the next ranking, or is neither any more."""

    entry_id: str
    effect: Effect
    term: str


@dataclass(frozen=True, slots=True)
class Looked:
    """The part of the list that is shown: papers of a filter with a tag, if any, that contain all words of a query."""

    entry_id: str
    order: Order
    filter: Filter
    query: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class Leave:
    """The editor continues to the page *Publish*. Earlier entries of the same message are saved first."""

    entry_id: str


Ordering = RerankRequest | UndoRerank | ShowNewestOrder
Entry = (
    Decided
    | ReadTo
    | Tagged
    | Noted
    | ExplanationRequest
    | MissChosen
    | SpotCheckRequest
    | Ordering
    | Hinted
    | Looked
    | Leave
)


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """One message of a review list.

    Attributes
    ----------
    number : int or None
        Sequence number of the message on a page. None if the browser sent nothing, as when the page is first drawn.
    seen : int or None
        `ReviewResponse.up_to` of the newest response received. None to get the whole state.
    entries : tuple
        Entries, oldest first.
    refused : mapping from str to str
        Why entries, by id, are invalid.
    reranking : int or None
        Number of the re-ranked order that the list shows; None if it is that of the ranking.
    """

    number: int | None = None
    seen: int | None = None
    entries: tuple[Entry, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    reranking: int | None = None


def read(value: object) -> ReviewRequest:
    """Read a message.

    An invalid entry is refused alone, so that the others are saved.

    Raises
    ------
    ValueError
        If the message as a whole is invalid.

    Examples
    --------
    >>> entry = {"id": "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11", "kind": "noted", "paper": "p1", "text": "Weak."}
    >>> read({"n": 1, "seen": 7, "entries": [entry]}).entries
    (Noted(entry_id='0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11', paper_id='p1', text='Weak.'),)
    """
    message = _mapping(value)
    number, seen, reranking = (_count_or_none(message, name) for name in ("n", "seen", "reranking"))
    listed = message.get("entries")
    if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
        raise ValueError(f"entries must be a list of at most {MOST_ENTRIES}")
    entries: list[Entry] = []
    refused = {}
    for one in listed:
        given = _mapping(one)
        entry_id = _uuid(given, "id")
        try:
            entries.append(_entry(entry_id, given))
        except ValueError as error:
            refused[entry_id] = str(error)
    return ReviewRequest(number, seen, tuple(entries), refused, reranking)


def _entry(entry_id: str, given: Mapping[str, Any]) -> Entry:
    kind = given.get("kind")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise ValueError(f"kind must be one of {', '.join(READERS)}")
    return reader(entry_id, given)


def _decided(entry_id: str, given: Mapping[str, Any]) -> Decided:
    label = cast("Label", _one_of(given, "label", get_args(Label)))
    is_alone = _flag({"alone": False, **given}, "alone")
    ranking, reranking = _rankings(given)
    return Decided(entry_id, _paper(given), label, _order(given), ranking, is_alone, reranking)


def _read_to(entry_id: str, given: Mapping[str, Any]) -> ReadTo:
    return ReadTo(entry_id, _paper(given), _order(given), *_rankings(given))


def _rankings(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    return _count_or_none(given, "ranking"), _count_or_none(given, "reranking")


def _hinted(entry_id: str, given: Mapping[str, Any]) -> Hinted:
    effect = cast("Effect", _one_of(given, "effect", get_args(Effect)))
    return Hinted(entry_id, effect, _text(given, "term", LONGEST_TERM))


def _looked(entry_id: str, given: Mapping[str, Any]) -> Looked:
    chosen = cast("Filter", _one_of(given, "filter", get_args(Filter)))
    query = _text(given, "query", LONGEST_QUERY, may_be_empty=True)
    tag = _text({"tag": "", **given}, "tag", LONGEST_TAG, may_be_empty=True)
    return Looked(entry_id, _order(given), chosen, query, tag)


READERS: Mapping[str, Callable[[str, Mapping[str, Any]], Entry]] = {
    "decided": _decided,
    "read": _read_to,
    "tagged": lambda entry_id, given: Tagged(
        entry_id, _paper(given), _text(given, "tag", LONGEST_TAG), _flag(given, "on")
    ),
    "noted": lambda entry_id, given: Noted(
        entry_id, _paper(given), _text(given, "text", LONGEST_NOTE, may_be_empty=True)
    ),
    "explain": lambda entry_id, given: ExplanationRequest(entry_id, _paper(given)),
    "miss": lambda entry_id, given: MissChosen(
        entry_id, cast("TargetRecall", _one_of(given, "targetRecall", get_args(TargetRecall)))
    ),
    "draw": lambda entry_id, _: SpotCheckRequest(entry_id),
    "rerank": lambda entry_id, _: RerankRequest(entry_id),
    "undoRerank": lambda entry_id, _: UndoRerank(entry_id),
    "showNewestOrder": lambda entry_id, _: ShowNewestOrder(entry_id),
    "hinted": _hinted,
    "looked": _looked,
    "leave": lambda entry_id, _: Leave(entry_id),
}


def _paper(given: Mapping[str, Any]) -> str:
    return _text(given, "paper", LONGEST_ID)


def _order(given: Mapping[str, Any]) -> Order:
    return cast("Order", _one_of(given, "order", get_args(Order)))


def _mapping(value: object) -> Mapping[str, Any]:
    """Return a value that must be a mapping."""
    if not isinstance(value, Mapping):
        raise ValueError(f"a mapping was expected, not {type(value).__name__}")
    return value


def _count_or_none(given: Mapping[str, Any], name: str) -> int | None:
    """Return a whole number from 0 on, or None where it is missing."""
    value = given.get(name)
    if value is not None and (type(value) is not int or not 0 <= value <= LARGEST):
        raise ValueError(f"{name} must be a whole number or missing")
    return value


def _flag(given: Mapping[str, Any], name: str) -> bool:
    """Return a truth value."""
    value = given.get(name)
    if not isinstance(value, bool):
        raise ValueError(f"{name} must be true or false")
    return value


def _uuid(given: Mapping[str, Any], name: str) -> str:
    """Return a UUID in lower case."""
    value = given.get(name)
    if not isinstance(value, str) or not UUID.fullmatch(value):
        raise ValueError(f"{name} must be a UUID in lower case")
    return value


def _text(given: Mapping[str, Any], name: str, longest: int, *, may_be_empty: bool = False) -> str:
    """Return a text that can be stored, of at most so many characters."""
    value = given.get(name)
    if not isinstance(value, str) or len(value) > longest or not (value or may_be_empty):
        raise ValueError(f"{name} must be a text of at most {longest} characters")
    if UNSTORABLE.search(value):
        raise ValueError(f"{name} holds characters that are no text")
    return value


def _one_of(given: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    """Return one of the texts allowed."""
    value = given.get(name)
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}")
    return cast("str", value)
