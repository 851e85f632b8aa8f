"""The line between a review list in the browser and the workspace: decisions come up, what is new goes down.

A page opens a line for its list and tells the browser the address; what is sent there is answered without a run of
the page. The line goes once nobody holds it any more: with the window, or with the next drawing of the page.
"""

import logging
from collections.abc import Callable, MutableMapping
from contextlib import nullcontext
from dataclasses import dataclass, field
from secrets import token_urlsafe
from threading import Lock
from typing import Any
from weakref import WeakValueDictionary

from presort.data.records import Identity
from presort.desk.components import messages
from presort.desk.components.messages import Sent
from presort.desk.components.reply import LightShown, Reply, SpotCheckShown
from presort.desk.operation.counters import SAVED

LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class Line:
    """Answers what a list sends, one message after the other.

    Attributes
    ----------
    receive : callable
        Saves what was sent and gives the answer. Once it returns, all entries that it does not refuse count as saved,
        unless there is `trouble`. What it raises is not caught, and the browser keeps the entries and sends them again.
    owner : Identity or None
        By which account its reader signed in, who alone may send; None where nobody signs in.
    name : str
        Known to the page of the list alone.
    """

    receive: Callable[[Sent], Reply]
    owner: Identity | None = None
    name: str = field(default_factory=token_urlsafe)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        LINES[self.name] = self

    def answer(self, value: object) -> dict[str, Any]:
        """Take a message as it came from the browser, None for none, and return what to tell.

        Raises
        ------
        ValueError
            If it is none of the list's messages.
        """
        sent = Sent() if value is None else messages.read(value)
        for entry_id, why in sent.refused.items():
            LOG.warning("Entry %s of a review list refused: %s", entry_id, why)
        with self._turn, SAVED.time() if sent.entries else nullcontext():
            return _told(sent, self.receive(sent))


LINES: MutableMapping[str, Line] = WeakValueDictionary()  # of this server, by name


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
        "answers": {paper: [part._asdict() for part in parts] for paper, parts in reply.answers.items()},
        "light": None if reply.light is None else _light(reply.light),
        "minutes": reply.minutes,
        "drawn": list(reply.drawn),
        "spotCheck": None if reply.spot_check is None else _spot_check(reply.spot_check),
    }


def _light(light: LightShown) -> dict[str, Any]:
    return {
        "mayStop": light.may_stop,
        "verdict": light.verdict,
        "says": light.says,
        "left": light.left,
        "stopAt": light.stop_at,
        "mayMiss": light.may_miss,
        "basis": light.basis,
        "stops": [{"mayMiss": may_miss, "says": says} for may_miss, says in light.stops],
    }


def _spot_check(check: SpotCheckShown) -> dict[str, Any]:
    return {"offer": check.offer, "says": check.says, "left": check.n_left, "detail": check.detail}
