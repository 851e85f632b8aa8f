"""The line between a review list in the browser and the workspace: decisions come up, what is new goes down.

It is an element of its own, apart from the list, and stands in a fragment: only the fragment runs when something was
decided, or when the browser asks every other second what others did, and the papers are not sent again.
"""

import logging
from collections.abc import Callable
from contextlib import nullcontext
from importlib.resources import files
from typing import Any

import streamlit as st

from desk.components import messages
from desk.components.messages import Sent
from desk.components.reply import DrawShown, LightShown, Reply
from desk.counters import SAVED

LOG = logging.getLogger(__name__)
SYNC = st.components.v2.component(
    "presort_sync", js=(files("desk.components") / "browser" / "sync.js").read_text(encoding="utf-8")
)


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
    with SAVED.time() if sent.entries else nullcontext():
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
        "read": [list(run) for run in reply.read],
        "apart": list(reply.apart),
        "answers": {paper: [part._asdict() for part in parts] for paper, parts in reply.answers.items()},
        "light": None if reply.light is None else _light(reply.light),
        "minutes": reply.minutes,
        "drawn": list(reply.drawn),
        "draw": None if reply.draw is None else _draw(reply.draw),
    }


def _light(light: LightShown) -> dict[str, Any]:
    return {
        "mayStop": light.may_stop,
        "verdict": light.verdict,
        "says": light.says,
        "left": light.left,
        "stopAt": light.stop_at,
        "mayMiss": light.may_miss,
        "stops": [{"mayMiss": may_miss, "says": says} for may_miss, says in light.stops],
    }


def _draw(draw: DrawShown) -> dict[str, Any]:
    return {"says": draw.says, "mayDraw": draw.may_draw, "detail": draw.detail}


def _nothing() -> None:
    """Stand for the callback without which Streamlit keeps no value."""
