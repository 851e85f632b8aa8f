"""Which columns a person chose for a table, kept for the next one with the same headings."""

import json
from collections.abc import Mapping, Sequence
from hashlib import sha256
from typing import Any

from presort.data.editing.preferences import MAX_VALUE, preference, set_preference
from presort.data.importers.columns import FIELDS
from presort.data.store import Store

NAME = "import columns"
MOST_KEPT = 20  # sets of headings, the newest


def columns_of(store: Store, person: str, headings: Sequence[str]) -> dict[str, str] | None:
    """Return the column of each field as a person last chose them for a table with these headings; None if never."""
    return _kept(store, person).get(_sign(headings))


def keep(store: Store, person: str, headings: Sequence[str], chosen: Mapping[str, str] | None) -> None:
    """Keep which columns a person chose for a table with these headings; None to forget it."""
    before = _kept(store, person)
    kept = {sign: columns for sign, columns in before.items() if sign != _sign(headings)}
    if chosen is not None:
        kept = dict([*kept.items(), (_sign(headings), dict(chosen))][-MOST_KEPT:])
    while len(value := json.dumps(kept)) > MAX_VALUE:  # the oldest goes
        del kept[next(iter(kept))]
    if kept != before:
        set_preference(store, person, NAME, value)


def _sign(headings: Sequence[str]) -> str:
    """Return what tells a set of headings from every other one; their order counts for nothing."""
    return sha256(json.dumps(sorted(headings)).encode()).hexdigest()[:32]


def _kept(store: Store, person: str) -> dict[str, dict[str, str]]:
    kept = json.loads(preference(store, person, NAME) or "{}")
    return {sign: columns for sign, columns in kept.items() if _is_choice(columns)} if isinstance(kept, dict) else {}


def _is_choice(columns: Any) -> bool:
    """Return whether this was kept for these fields, and not by an older or a newer version for others."""
    return isinstance(columns, dict) and all(
        field in FIELDS and isinstance(column, str) for field, column in columns.items()
    )
