"""The channel between the review list in the browser and the workspace: it takes decisions and returns what changed.

A page opens a channel for its list and gives its address to the browser. Requests to that address are answered without
a run of the page. A channel is closed when nobody holds it any more: with the window, or when the page is drawn again.
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
from presort.desk.components.messages import ReviewRequest
from presort.desk.components.response import LightShown, ReviewResponse, SpotCheckShown
from presort.desk.operation.counters import SAVED

LOG = logging.getLogger(__name__)


@dataclass(eq=False)
class ReviewChannel:
    """Connection of one review list to the server: handles one request after the other.

    Attributes
    ----------
    receive : callable
        Saves the entries of a request and returns the response. Once it returns, all entries that it does not refuse
        count as saved, unless there is `trouble`. What it raises is not caught, and the browser keeps the entries and
        sends them again.
    owner : Identity or None
        By which account its reader signed in, who alone may send; None where nobody signs in.
    name : str
        Known to the page of the list alone.
    """

    receive: Callable[[ReviewRequest], ReviewResponse]
    owner: Identity | None = None
    name: str = field(default_factory=token_urlsafe)
    _turn: Lock = field(default_factory=Lock, repr=False)

    def __post_init__(self) -> None:
        CHANNELS[self.name] = self

    def respond(self, value: object) -> dict[str, Any]:
        """Handle a request as the browser sent it, None for no request, and return the response.

        Raises
        ------
        ValueError
            If it is none of the list's messages.
        """
        request = ReviewRequest() if value is None else messages.read(value)
        for entry_id, why in request.refused.items():
            LOG.warning("Entry %s of a review list refused: %s", entry_id, why)
        with self._turn, SAVED.time() if request.entries else nullcontext():
            return _payload(request, self.receive(request))


CHANNELS: MutableMapping[str, ReviewChannel] = WeakValueDictionary()  # of this server, by name


def _payload(request: ReviewRequest, response: ReviewResponse) -> dict[str, Any]:
    refused = {**request.refused, **response.refused}
    saved = [] if response.trouble else [entry.entry_id for entry in request.entries if entry.entry_id not in refused]
    return {
        "n": request.number,
        "since": request.seen,
        "acknowledged": saved,
        "refused": refused,
        "trouble": response.trouble,
        "upTo": response.up_to,
        "words": dict(response.words),
        "tags": {paper: list(tags) for paper, tags in response.tags.items()},
        "notes": dict(response.notes),
        "rule": None if response.rule is None else response.rule._asdict(),
        "read": [list(run) for run in response.read],
        "answers": {paper: [part._asdict() for part in parts] for paper, parts in response.answers.items()},
        "light": None if response.light is None else _light(response.light),
        "minutes": response.minutes,
        "drawn": list(response.drawn),
        "spotCheck": None if response.spot_check is None else _spot_check(response.spot_check),
    }


def _light(light: LightShown) -> dict[str, Any]:
    return {
        "mayStop": light.may_stop,
        "verdict": light.verdict,
        "says": light.says,
        "left": light.left,
        "stopAt": light.stop_at,
        "targetRecall": light.target_recall,
        "basis": light.basis,
        "stops": [{"targetRecall": target_recall, "says": says} for target_recall, says in light.stops],
    }


def _spot_check(check: SpotCheckShown) -> dict[str, Any]:
    return {"offer": check.offer, "says": check.says, "left": check.n_left, "detail": check.detail}
