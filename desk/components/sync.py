"""The line between a review list in the browser and the workspace: decisions come up, what is new goes down.

It is an element of its own, apart from the list, and stands in a fragment: only the fragment runs when something was
decided, or when the browser asks every other second what others did, and the papers are not sent again.
"""

import logging
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.resources import files
from typing import Any, NamedTuple

import streamlit as st

from data.records import Word
from desk.components import messages
from desk.components.messages import Order, Sent

LOG = logging.getLogger(__name__)
SYNC = st.components.v2.component(
    "presort_sync", js=(files("desk.components") / "browser" / "sync.js").read_text(encoding="utf-8")
)


class Rule(NamedTuple):
    """A red line above the paper at a place of the presorted list, from 1, and what it says."""

    place: int
    sentence: str


class Section(NamedTuple):
    """One part of the answer about a paper: why it is here, say, the reasons, and which can be muted or boosted."""

    heading: str
    lines: Sequence[str]
    terms: Sequence[str] = ()


class LightShown(NamedTuple):
    """The traffic light: a sentence, and from which place of the presorted list on it is red.

    `chance` is that all relevant papers were seen, as a text; `level` the one that suffices the reader, in percent.
    """

    is_red: bool
    says: str
    chance: str
    red_at: int
    level: int


class DrawShown(NamedTuple):
    """What the papers drawn from the rest tell, empty before any were, and whether some may be drawn now."""

    says: str
    may_draw: bool


@dataclass(frozen=True)
class Reply:
    """What the browser is told; all of it is shown as plain text.

    Read-to, relevant and maybe are counted in the browser.

    Attributes
    ----------
    up_to : int
        Number of the newest change in the log; it comes back as `Sent.seen`. Never falls while a page is open.
    words : mapping from paper id to str
        The word that counts now on each paper decided since `Sent.seen`, also if it is "undecided" again; on every
        decided paper where that is None. Likewise `tags` and `notes`.
    refused : mapping from entry id to str
        Why entries were not saved. All others count as saved, and the browser forgets them.
    rule : Rule or None
        What parts the list.
    read_to : mapping from order to paper id
        The paper down to which the reader said to have read.
    apart : collection of str
        Ids of papers of which a decision doesn't tell how far the list was read, presorted where it can be: those
        ever drawn from the rest, and those decided in another list. The browser itself knows what is decided there.
    answers : mapping from paper id to sequence of Section
        To what was asked.
    light : LightShown or None
        None as long as nothing is known; then the browser goes on showing what it last showed.
    minutes : str or None
        Time spent, such as "6 min"; None where it is as before.
    drawn : collection of str
        Ids of the papers drawn last.
    draw : DrawShown or None
        None where nothing can be drawn.
    trouble : str
        Why nothing that came with the message could be saved now; the browser keeps it and sends it again. All else
        in the reply is passed over then.
    """

    up_to: int
    words: Mapping[str, Word] = field(default_factory=dict)
    tags: Mapping[str, Sequence[str]] = field(default_factory=dict)
    notes: Mapping[str, str] = field(default_factory=dict)
    refused: Mapping[str, str] = field(default_factory=dict)
    rule: Rule | None = None
    read_to: Mapping[Order, str] = field(default_factory=dict)
    apart: Collection[str] = ()
    answers: Mapping[str, Sequence[Section]] = field(default_factory=dict)
    light: LightShown | None = None
    minutes: str | None = None
    drawn: Collection[str] = ()
    draw: DrawShown | None = None
    trouble: str = ""


def sync(receive: Callable[[Sent], Reply], *, key: str) -> None:
    """Take what the list in the browser sent, and answer; to be called in a fragment.

    Parameters
    ----------
    receive : callable
        Saves what was sent and gives the answer. Once it returns, all entries that it does not refuse count as saved,
        unless there is `trouble`.
        What it raises is not caught, and the browser keeps the entries and sends them again.
    key : str
        That of the `review_list`.
    """
    name = f"{key}-sync"
    sent = _read(st.session_state.get(name))
    reply = receive(sent)
    SYNC(key=name, data={"list": key, **_told(sent, reply)}, on_sent_change=_nothing)


def _read(state: Any) -> Sent:
    value = state.get("sent") if state else None
    if value is None:
        return Sent()
    try:
        sent = messages.read(value)
    except ValueError as error:
        LOG.warning("Message of a review list passed over: %s", error)
        return Sent()
    for entry_id, why in sent.refused.items():
        LOG.warning("Entry %s of a review list refused: %s", entry_id, why)
    return sent


def _told(sent: Sent, reply: Reply) -> dict[str, Any]:
    refused = {**sent.refused, **reply.refused}
    saved = [] if reply.trouble else [entry.entry_id for entry in sent.entries if entry.entry_id not in refused]
    return {
        "n": sent.number,
        "since": sent.seen,
        "acknowledged": saved,
        "refused": refused,
        "trouble": reply.trouble,
        "upTo": reply.up_to,
        "words": dict(reply.words),
        "tags": {paper: list(tags) for paper, tags in reply.tags.items()},
        "notes": dict(reply.notes),
        "rule": None if reply.rule is None else reply.rule._asdict(),
        "readTo": dict(reply.read_to),
        "apart": list(reply.apart),
        "answers": {paper: [part._asdict() for part in parts] for paper, parts in reply.answers.items()},
        "light": None if reply.light is None else _light(reply.light),
        "minutes": reply.minutes,
        "drawn": list(reply.drawn),
        "draw": None if reply.draw is None else {"says": reply.draw.says, "mayDraw": reply.draw.may_draw},
    }


def _light(light: LightShown) -> dict[str, Any]:
    return {
        "isRed": light.is_red,
        "says": light.says,
        "chance": light.chance,
        "redAt": light.red_at,
        "level": light.level,
    }


def _nothing() -> None:
    """Stand for the callback without which Streamlit keeps no value."""
