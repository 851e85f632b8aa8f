"""Parse and validate untrusted messages from the review list in the browser."""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any, Literal, cast, get_args

from presort.data.records import LONGEST_ID, Label, Order
from presort.ranker.stopping.forecast import TargetRecall

Effect = Literal["mute", "boost", "none"]
Filter = Literal["all", "undecided", "yes", "maybe", "no", "drawn"]

MOST_ENTRIES = 500
LONGEST_TAG = 100  # maximum length of a tag in characters
LONGEST_NOTE = 10_000
LONGEST_QUERY = 500
LONGEST_TERM = 100
LARGEST = 2**53 - 1  # largest integer that JavaScript represents exactly
UUID = re.compile(r"[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}")
UNSTORABLE = re.compile(r"[\0\ud800-\udfff]")  # databases reject these characters


@dataclass(frozen=True, slots=True)
class DecisionEntry:
    """Decision on a paper, with the order of the list at the time of the decision.

    Attributes
    ----------
    entry_id : str
        UUID created in the browser. The server uses it to recognise an entry that the browser sends more than once.
    paper_id : str
        Id of the paper that was decided.
    label : str
        New label of the paper.
    order : str
        "presort" or "list".
    ranking : int or None
        Number of the ranking that the list showed. It is needed because the browser may send an entry late, after the
        issue has been ranked again. If it is None, the server's current ranking and re-ranked order are used.
    is_alone : bool
        True if the papers above must not count as read, because a search, tag or filter hid undecided papers or because
        some papers above were never in view.
    reranking : int or None
        Number of the re-ranked order that the list showed. None if the list was not re-ranked.
    """

    entry_id: str
    paper_id: str
    label: Label
    order: Order
    ranking: int | None = None
    is_alone: bool = False
    reranking: int | None = None


@dataclass(frozen=True, slots=True)
class ReadingEntry:
    """Reading progress: the list has been read down to this paper. `DecisionEntry` describes the fields."""

    entry_id: str
    paper_id: str
    order: Order
    ranking: int | None = None
    reranking: int | None = None


@dataclass(frozen=True, slots=True)
class TagEntry:
    """Addition or removal of a tag on a paper."""

    entry_id: str
    paper_id: str
    tag: str
    is_on: bool


@dataclass(frozen=True, slots=True)
class NoteEntry:
    """New text of the note on a paper. The text is empty if the note was deleted."""

    entry_id: str
    paper_id: str
    text: str


@dataclass(frozen=True, slots=True)
class ExplanationRequest:
    """Request to explain a paper's rank. It is sent when the paper is opened."""

    entry_id: str
    paper_id: str


@dataclass(frozen=True, slots=True)
class TargetRecallEntry:
    """Target recall chosen by the editor."""

    entry_id: str
    target_recall: TargetRecall


@dataclass(frozen=True, slots=True)
class SpotCheckRequest:
    """Request to draw unread papers from below the stop point for a spot check."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class RerankRequest:
    """Request to re-rank the unread papers, using the decisions made in the list."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class UndoRerank:
    """Request to restore the order before the last re-ranking."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class ShowNewestOrder:
    """Request to show an order that another editor created more recently than the order shown."""

    entry_id: str


@dataclass(frozen=True, slots=True)
class HintEntry:
    """Hint for the next ranking: a term that the editor muted, boosted or reset."""

    entry_id: str
    effect: Effect
    term: str


@dataclass(frozen=True, slots=True)
class ViewEntry:
    """Current order and filters of the list: label filter, search query and tag."""

    entry_id: str
    order: Order
    filter: Filter
    query: str
    tag: str = ""


@dataclass(frozen=True, slots=True)
class LeaveRequest:
    """Request to open the *Publish* page. Earlier entries in the same message are saved first."""

    entry_id: str


Ordering = RerankRequest | UndoRerank | ShowNewestOrder
Entry = (
    DecisionEntry
    | ReadingEntry
    | TagEntry
    | NoteEntry
    | ExplanationRequest
    | TargetRecallEntry
    | SpotCheckRequest
    | Ordering
    | HintEntry
    | ViewEntry
    | LeaveRequest
)


@dataclass(frozen=True, slots=True)
class ReviewRequest:
    """Message from a review list.

    Attributes
    ----------
    number : int or None
        Sequence number of the message on its page. None if the browser has not sent a message yet.
    seen : int or None
        `ReviewResponse.up_to` of the newest response that the browser received. None requests the whole state.
    entries : tuple
        Valid entries, oldest first.
    refused : mapping from str to str
        Reason why an entry is invalid, by the id of the entry.
    reranking : int or None
        Number of the re-ranked order that the list shows. None if the list shows the original ranking.
    """

    number: int | None = None
    seen: int | None = None
    entries: tuple[Entry, ...] = ()
    refused: Mapping[str, str] = field(default_factory=dict)
    reranking: int | None = None


def parse_request(value: object) -> ReviewRequest:
    """Parse a message.

    Each invalid entry is refused separately, and the valid entries are still saved.

    Raises
    ------
    ValueError
        If the message as a whole is invalid.

    Examples
    --------
    >>> entry = {"id": "0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11", "kind": "noted", "paper": "p1", "text": "Weak."}
    >>> parse_request({"n": 1, "seen": 7, "entries": [entry]}).entries
    (NoteEntry(entry_id='0b8e4bd5-2d0a-4bb8-9f6b-6a2f4b0f9c11', paper_id='p1', text='Weak.'),)
    """
    message = _mapping(value)
    number, seen, reranking = (_count_or_none(message, name) for name in ("n", "seen", "reranking"))
    listed = message.get("entries")
    if not isinstance(listed, list) or len(listed) > MOST_ENTRIES:
        raise ValueError(f"entries must be a list of at most {MOST_ENTRIES} entries")
    entries: list[Entry] = []
    refused = {}
    for one in listed:
        given = _mapping(one)
        entry_id = _uuid(given, "id")
        try:
            entries.append(_parse_entry(entry_id, given))
        except ValueError as error:
            refused[entry_id] = str(error)
    return ReviewRequest(number, seen, tuple(entries), refused, reranking)


def _parse_entry(entry_id: str, given: Mapping[str, Any]) -> Entry:
    kind = given.get("kind")
    reader = READERS.get(kind) if isinstance(kind, str) else None
    if reader is None:
        raise ValueError(f"kind must be one of {', '.join(READERS)}")
    return reader(entry_id, given)


def _parse_decision(entry_id: str, given: Mapping[str, Any]) -> DecisionEntry:
    label = cast("Label", _one_of(given, "label", get_args(Label)))
    is_alone = _flag({"alone": False, **given}, "alone")
    ranking, reranking = _rankings(given)
    return DecisionEntry(entry_id, _paper(given), label, _order(given), ranking, is_alone, reranking)


def _parse_reading(entry_id: str, given: Mapping[str, Any]) -> ReadingEntry:
    return ReadingEntry(entry_id, _paper(given), _order(given), *_rankings(given))


def _rankings(given: Mapping[str, Any]) -> tuple[int | None, int | None]:
    return _count_or_none(given, "ranking"), _count_or_none(given, "reranking")


def _parse_hint(entry_id: str, given: Mapping[str, Any]) -> HintEntry:
    effect = cast("Effect", _one_of(given, "effect", get_args(Effect)))
    return HintEntry(entry_id, effect, _text(given, "term", LONGEST_TERM))


def _parse_view(entry_id: str, given: Mapping[str, Any]) -> ViewEntry:
    chosen = cast("Filter", _one_of(given, "filter", get_args(Filter)))
    query = _text(given, "query", LONGEST_QUERY, may_be_empty=True)
    tag = _text({"tag": "", **given}, "tag", LONGEST_TAG, may_be_empty=True)
    return ViewEntry(entry_id, _order(given), chosen, query, tag)


READERS: Mapping[str, Callable[[str, Mapping[str, Any]], Entry]] = {
    "decided": _parse_decision,
    "read": _parse_reading,
    "tagged": lambda entry_id, given: TagEntry(
        entry_id, _paper(given), _text(given, "tag", LONGEST_TAG), _flag(given, "on")
    ),
    "noted": lambda entry_id, given: NoteEntry(
        entry_id, _paper(given), _text(given, "text", LONGEST_NOTE, may_be_empty=True)
    ),
    "explain": lambda entry_id, given: ExplanationRequest(entry_id, _paper(given)),
    "miss": lambda entry_id, given: TargetRecallEntry(
        entry_id, cast("TargetRecall", _one_of(given, "targetRecall", get_args(TargetRecall)))
    ),
    "draw": lambda entry_id, _: SpotCheckRequest(entry_id),
    "rerank": lambda entry_id, _: RerankRequest(entry_id),
    "undoRerank": lambda entry_id, _: UndoRerank(entry_id),
    "showNewestOrder": lambda entry_id, _: ShowNewestOrder(entry_id),
    "hinted": _parse_hint,
    "looked": _parse_view,
    "leave": lambda entry_id, _: LeaveRequest(entry_id),
}


def _paper(given: Mapping[str, Any]) -> str:
    return _text(given, "paper", LONGEST_ID)


def _order(given: Mapping[str, Any]) -> Order:
    return cast("Order", _one_of(given, "order", get_args(Order)))


def _mapping(value: object) -> Mapping[str, Any]:
    """Return the value if it is a mapping."""
    if not isinstance(value, Mapping):
        raise ValueError(f"expected a mapping, got {type(value).__name__}")
    return value


def _count_or_none(given: Mapping[str, Any], name: str) -> int | None:
    """Return a non-negative integer, or None if it is missing."""
    value = given.get(name)
    if value is not None and (type(value) is not int or not 0 <= value <= LARGEST):
        raise ValueError(f"{name} must be a whole number or missing")
    return value


def _flag(given: Mapping[str, Any], name: str) -> bool:
    """Return a boolean."""
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
    """Return a string that databases can store and that has at most `longest` characters."""
    value = given.get(name)
    if not isinstance(value, str) or len(value) > longest or not (value or may_be_empty):
        raise ValueError(f"{name} must be a string of at most {longest} characters")
    if UNSTORABLE.search(value):
        raise ValueError(f"{name} contains invalid characters")
    return value


def _one_of(given: Mapping[str, Any], name: str, allowed: tuple[str, ...]) -> str:
    """Return the value if it is one of the allowed strings."""
    value = given.get(name)
    if value not in allowed:
        raise ValueError(f"{name} must be one of {', '.join(allowed)}")
    return cast("str", value)
