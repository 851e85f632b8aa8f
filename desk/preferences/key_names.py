"""Display names of actions and keys. They must match `components/browser/words.js`. A test checks this."""

from collections.abc import Mapping, Sequence

ACTIONS: Mapping[str, str] = {
    "down": "next paper",
    "up": "previous paper",
    "relevant": "relevant; press again to undo",
    "maybe": "maybe",
    "no": "not relevant",
    "undo": "undo my last decision",
    "open": "open or close the paper",
    "read": "mark all papers down to here as read",
    "undecided": "hide decided papers, or show all",
    "check": "start the spot check, or return to the list",
    "rerank": "re-rank the unread papers with my decisions",
    "place": "return to my place",
    "abstracts": "show or hide all abstracts",
    "tag": "tag the paper",
    "note": "write a note on the paper",
    "search": "search this list",
    "nextHit": "next search hit",
    "previousHit": "previous search hit",
    "back": "return to the list, close the paper, or clear the search",
    "help": "show these keys",
}
KEY_NAMES: Mapping[str, str] = {
    " ": "space",
    "ArrowDown": "↓",
    "ArrowUp": "↑",
    "ArrowLeft": "←",
    "ArrowRight": "→",
    "Escape": "Esc",
    "Enter": "Enter",
    ",": "comma",
}
CLASHES: Mapping[str, str] = {  # reason for rejecting a key, by a pattern that matches the typed key name in lower case
    "tab": "moves between fields",
    r"f[0-9]{1,2}": "is reserved by the browser",
    r"(ctrl|control|alt|altgr|option|meta|cmd|command|win|windows)\b.*": "is used for browser shortcuts",
    r"shift\b.*": "has no effect: j and J are the same key",
    "insert|ins|capslock": "is reserved by screen readers",
    "home|end|pageup|pagedown": "scrolls the page",
}


def key_name(key: str) -> str:
    """Return the display name of a key.

    Examples
    --------
    >>> key_name("j"), key_name(" "), key_name("ArrowDown")
    ('j', 'space', '↓')
    """
    return KEY_NAMES.get(key, key)


def keys_text(keys: Sequence[str]) -> str:
    """Format keys for display, in a form that `keys.keys_from` parses.

    Examples
    --------
    >>> keys_text(("x", " "))
    'x, space'
    """
    return ", ".join(key_name(key) for key in keys)
