"""What is amiss with real records: no abstract, no codes, misprints, initials instead of given names."""

from dataclasses import replace

from presort.data.demo.dice import Dice
from presort.data.records import Paper

NO_ABSTRACT = 0.03  # all of these are shares of the papers
NO_CODES = 0.03
MISPRINTED_TITLE = 0.012
MISPRINTED_ABSTRACT = 0.05
INITIALS_ONLY = 0.03


def blemished(paper: Paper, dice: Dice) -> Paper:
    """Return the paper, now and then with something amiss.

    Examples
    --------
    >>> paper = Paper("1", "A title", abstract="An abstract.")
    >>> dice = Dice(1, "example")
    >>> {blemished(paper, dice).abstract for _ in range(200)} >= {"An abstract.", ""}
    True
    """
    if dice.chance(NO_ABSTRACT):
        paper = replace(paper, abstract="")
    if dice.chance(NO_CODES):
        paper = replace(paper, codes=())
    if dice.chance(INITIALS_ONLY):
        paper = replace(paper, authors=tuple(_with_initial(name) for name in paper.authors))
    if dice.chance(MISPRINTED_TITLE):
        paper = replace(paper, title=_misprinted(paper.title, dice))
    if dice.chance(MISPRINTED_ABSTRACT):
        paper = replace(paper, abstract=_misprinted(paper.abstract, dice))
    return paper


def _with_initial(name: str) -> str:
    given, _, rest = name.partition(" ")
    return f"{given[0]}. {rest}"


def _misprinted(text: str, dice: Dice) -> str:
    """Swap two letters inside one of the longer words."""
    words = text.split(" ")
    long = [number for number, word in enumerate(words) if len(word) > 5 and word.isalpha()]
    if not long:
        return text
    number = dice.pick(long)
    word = words[number]
    at = dice.whole(1, len(word) - 3)
    words[number] = word[:at] + word[at + 1] + word[at] + word[at + 2 :]
    return " ".join(words)
