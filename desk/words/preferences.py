"""What the page of preferences says, and how keys are named; `components/browser/words.js` names them alike."""

from collections.abc import Mapping, Sequence

TITLE = "Preferences"
SAVED = "saved"

KEYS = "Keys of the review list"
KEYS_HINT = (
    "Letters, digits, signs, and space, Enter, ↑, ↓, ← or →; with commas between where several keys do the same. "
    "They act while a paper of the list is in focus. Esc always leads back to the list, also out of a field."
)
DEFAULTS = "Back to the default keys"
ACTIONS: Mapping[str, str] = {
    "down": "next paper",
    "up": "previous paper",
    "relevant": "relevant, or not decided again",
    "maybe": "maybe",
    "no": "not relevant",
    "undo": "undo my last decision",
    "open": "open or close the paper",
    "read": "read to here",
    "search": "search in this list",
    "back": "back to the list; close the paper",
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
CLASHES: Mapping[str, str] = {  # by a pattern of what is typed, in small letters
    "tab": "leads from one field to the next",
    r"f[0-9]{1,2}": "is a key of the browser",
    r"(ctrl|control|alt|altgr|option|meta|cmd|command|win|windows)\b.*": "starts the browser's own shortcuts",
    r"shift\b.*": "makes no other key: j and J are the same",
    "insert|ins|capslock": "is a key of screen readers",
    "home|end|pageup|pagedown": "moves through the page",
}
NO_KEY = "is no key that can be chosen; take a letter a to z, a digit, a sign, space, Enter, ↑, ↓, ← or →"

LIST = "Review list"
PLAIN = "Plain list"
PLAIN_HINT = (
    "Papers to review, and their order when you finish, as ordinary buttons instead of the list with keys: slower, "
    "but it works without scripts of ours."
)

MARKED = "Words to highlight"
MARKED_LABEL = "Words, one a line"
MARKED_HINT = (
    "A line may hold a few words that stand together. They are highlighted in the papers of this report, for you only."
)
NO_REPORT = "No report yet, so there is nowhere to highlight words."


def key_name(key: str) -> str:
    """Name a key as a person would.

    Examples
    --------
    >>> key_name("j"), key_name(" "), key_name("ArrowDown")
    ('j', 'space', '↓')
    """
    return KEY_NAMES.get(key, key)


def keys_text(keys: Sequence[str]) -> str:
    """Write keys as they can be typed.

    Examples
    --------
    >>> keys_text(("x", " "))
    'x, space'
    """
    return ", ".join(key_name(key) for key in keys)


def clash(key: str, reason: str) -> str:
    """Say why a key can't be chosen.

    Examples
    --------
    >>> clash("F5", CLASHES[r"f[0-9]{1,2}"])
    'F5 is a key of the browser; choose another.'
    """
    return f"{key_name(key)} {reason}; choose another."


def no_key(key: str) -> str:
    """Say that something typed is no key."""
    shown = key if len(key) <= 20 else f"{key[:19]}…"
    return f"'{shown}' {NO_KEY}."


def missing(action: str) -> str:
    """Say that an action is left without a key.

    Examples
    --------
    >>> missing("down")
    'Nothing would stand for "next paper"; give it a key.'
    """
    return f'Nothing would stand for "{ACTIONS[action]}"; give it a key.'


def twice(key: str, first: str, second: str) -> str:
    """Say that a key would stand for two actions.

    Examples
    --------
    >>> twice("m", "maybe", "no")
    'm would stand for both "maybe" and "not relevant"; choose another here, or free it there first.'
    """
    actions = f'"{ACTIONS[first]}" and "{ACTIONS[second]}"'
    return f"{key_name(key)} would stand for both {actions}; choose another here, or free it there first."


def fixed(action: str, keys: Sequence[str]) -> str:
    """Say that the keys of an action can't be changed."""
    return f'"{ACTIONS[action]}" acts in fields too, so it stays with {keys_text(keys)}.'


def too_many_marked(n: int, most: int) -> str:
    """Say that there are too many words to highlight."""
    return f"Up to {most} lines can be highlighted, these are {n:,}; take some out."


def too_long_marked(n: int, longest: int) -> str:
    """Say that a word to highlight is too long."""
    return f"A line can have {longest} characters, one has {n:,}; shorten it."
