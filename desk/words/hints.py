"""What the boxes say in which an editor mutes, boosts, and shows examples."""

from data.records import HintKind, Hints
from desk.words.text import counted

MUTE_OR_BOOST = "Mute or boost"
TERM = "A word or two, an author, or a code"
VERBS: dict[HintKind, str] = {"mute": "Mute", "boost": "Boost"}
EFFECTS: dict[HintKind, str] = {
    "mute": "From the next ranking on, papers are sorted as if it did not stand there.",
    "boost": "From the next ranking on, papers that have it rise.",
}
TAKE_BACK = "Take back"
SORT_AGAIN = "Sort again now"
SORT = "Sort it now"
LEARNING = "Learning from past selections…"

BEGIN = "Begin with examples"
INTRODUCTION = (
    "There is too little to learn from yet. Show what this report is about: a few examples are enough to sort by, "
    "and every paper you mark later teaches more."
)
NOT_SORTED = "This issue is not sorted for this report yet; it stands in the order it was received."
PASTE = "Paste a title and, below it, an abstract; or a paragraph on the subject"
ADD = "Add as example"
FIND = "Or take papers of past issues: words of the title"
NONE_FOUND = "No title has all of these words."
TAKE, TAKEN = "Take", "taken"


def given(hints: Hints) -> list[tuple[str, str]]:
    """Give what is muted and boosted, each term behind the word for it.

    Examples
    --------
    >>> given(Hints(muted=("survey",), boosted=("wage",)))
    [('muted', 'survey'), ('boosted', 'wage')]
    """
    return [*(("muted", term) for term in hints.muted), *(("boosted", term) for term in hints.boosted)]


def in_list_order(n_relevant: int) -> str:
    """Say why an issue that was ranked stands in list order all the same.

    Examples
    --------
    >>> in_list_order(1)[:56]
    'In list order: 1 relevant paper so far, too few to learn'
    """
    found = counted(n_relevant, "relevant paper")
    return f"In list order: {found} so far, too few to learn from. Every paper you mark teaches the next ranking."
