"""A user's preferences: the keys of the review list, the plain list, and the words to highlight.

Stored values may come from another version of Presort. Invalid values are replaced by the defaults.
"""

import json
import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from presort.data.editing.preferences import preference, set_preference
from presort.data.errors import RefusedError
from presort.data.store import Store
from presort.data.text.cleaning import clean
from presort.desk.components.review_list import KEYS
from presort.desk.preferences import key_names
from presort.desk.text import shorten

Keys = Mapping[str, Sequence[str]]

FIXED = ("back",)  # actions whose keys also work in text fields, where other keys type text or move the cursor
MOST_MARKED = 100
LONGEST_MARKED = 100  # maximum length of a highlighted word in characters

KEY_OF = {
    **{name.lower(): key for key, name in key_names.KEY_NAMES.items()},
    **{key.lower(): key for key in key_names.KEY_NAMES if key.isalpha()},
    **{key.removeprefix("Arrow").lower(): key for key in key_names.KEY_NAMES if key.startswith("Arrow")},
}
SIGN = re.compile(r"[!-~]")  # only ASCII, because the list uses Latin letters even on a non-Latin keyboard


@dataclass(frozen=True)
class Preferences:
    """A user's preferences. Preferences that the user hasn't set have their default values.

    Attributes
    ----------
    keys : mapping from str to tuple of str
        Keys for each action, in the review list's format.
    is_plain : bool
        Show plain widgets instead of the review list and the order list.
    """

    keys: Mapping[str, tuple[str, ...]]
    is_plain: bool


def preferences(store: Store, person: str) -> Preferences:
    """Return a user's preferences."""
    return Preferences(
        _usable_keys(_stored_value(store, person, "keys")), _stored_value(store, person, "plain") is True
    )


def set_keys(store: Store, person: str, keys: Keys) -> None:
    """Store the keys for all actions in `review_list.KEYS`.

    Raises
    ------
    RefusedError
        If an action has no key, a key is reserved or assigned twice, or a fixed key was changed.
    """
    if set(keys) != set(KEYS):
        raise ValueError(f"keys must contain exactly these actions: {', '.join(KEYS)}")
    if problem := _problem(keys):
        raise RefusedError(problem)
    set_preference(store, person, "keys", json.dumps({action: list(given) for action, given in keys.items()}))


def set_plain(store: Store, person: str, is_plain: bool) -> None:
    """Store whether to show plain widgets instead of the review list."""
    set_preference(store, person, "plain", json.dumps(is_plain))


def keys_from(text: str) -> tuple[str, ...]:
    """Parse keys typed by the user. Invalid keys are returned unchanged, and `set_keys` refuses them.

    Examples
    --------
    >>> keys_from("J, ↓ space")
    ('j', 'ArrowDown', ' ')
    """
    typed = [part for part in re.split(r"[,\s]+", text) if part]
    return tuple(
        dict.fromkeys(KEY_OF.get(part.lower()) or (part.lower() if len(part) == 1 else part) for part in typed)
    )


def highlights(store: Store, person: str, report: str) -> tuple[str, ...]:
    """Return the words that a user has chosen to highlight in a report's papers."""
    listed = _stored_value(store, person, _highlights_name(report))
    return tuple(_texts(listed)[:MOST_MARKED])


def set_highlights(store: Store, person: str, report: str, marked: Iterable[str]) -> None:
    """Store the words that a user has chosen to highlight in a report's papers.

    Duplicates are removed. Case is ignored.

    Raises
    ------
    RefusedError
        If there are too many words, or if a word is too long.
    """
    kept: dict[str, str] = {}
    for text in map(clean, marked):
        kept.setdefault(text.lower(), text)
    kept.pop("", None)
    if len(kept) > MOST_MARKED:
        raise RefusedError(f"There are {len(kept):,} lines, but the limit is {MOST_MARKED}. Delete some lines.")
    if (longest := max(map(len, kept.values()), default=0)) > LONGEST_MARKED:
        raise RefusedError(f"A line has {longest:,} characters: the limit is {LONGEST_MARKED}. Shorten it.")
    set_preference(store, person, _highlights_name(report), json.dumps(list(kept.values()), ensure_ascii=False))


def _highlights_name(report: str) -> str:
    return f"marked:{report}"


def _stored_value(store: Store, person: str, name: str) -> object:
    try:
        value: object = json.loads(preference(store, person, name) or "null")
    except ValueError:
        return None
    return value


def _texts(value: object) -> list[str]:
    return [one for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _usable_keys(stored: object) -> dict[str, tuple[str, ...]]:
    """Return each action's stored keys, with defaults for invalid keys. If keys conflict, return all defaults."""
    defaults = {action: tuple(keys) for action, keys in KEYS.items()}
    given = stored if isinstance(stored, dict) else {}
    chosen = {action: keys for action in defaults if (keys := _valid_keys(given.get(action)))}
    kept = defaults | chosen
    return defaults if _problem(kept) else kept


def _valid_keys(listed: object) -> tuple[str, ...]:
    keys = _texts(listed)
    return tuple(keys) if not any(_refusal(key) for key in keys) else ()


def _problem(keys: Keys) -> str | None:
    """Return an error message if the keys are invalid, and otherwise None."""
    action_of: dict[str, str] = {}
    for action in (*FIXED, *(one for one in KEYS if one not in FIXED)):
        if not keys[action]:
            return f'"{key_names.ACTIONS[action]}" has no key. Enter a key.'
        if action in FIXED and tuple(keys[action]) != tuple(KEYS[action]):
            fixed = key_names.keys_text(KEYS[action])
            return f'The key for "{key_names.ACTIONS[action]}" must stay {fixed}, because it also works in text fields.'
        for key in keys[action]:
            if refusal := _refusal(key):
                return refusal
            if key.lower() in action_of:
                actions = " and ".join(f'"{key_names.ACTIONS[one]}"' for one in (action_of[key.lower()], action))
                name = key_names.key_name(key)
                return f"{name} is assigned to both {actions}. Choose another key for one of them."
            action_of[key.lower()] = action
    return None


def _refusal(key: str) -> str | None:
    """Return an error message if a key can't be assigned, and otherwise None."""
    if key in key_names.KEY_NAMES or SIGN.fullmatch(key):
        return None
    for pattern, reason in key_names.CLASHES.items():
        if re.fullmatch(pattern, key.lower()):
            return f"{key_names.key_name(key)} {reason}. Choose another key."
    shown = shorten(key, 20)
    return f"'{shown}' can't be assigned. Use a letter a to z, a digit, a symbol, space, Enter, ↑, ↓, ← or →."
