"""The answer to why a paper stands where it stands: reasons, earlier picks like it, and what was said of it."""

from collections.abc import Sequence
from dataclasses import dataclass

from data import review_log
from data.records import Paper
from data.store import Store
from desk.components.sync import Section
from desk.reading import Sheet
from desk.why import Explained, Why
from desk.words import why as words
from ranker.hints import has


@dataclass(frozen=True)
class Answer:
    """Why a paper stands where it stands, None where nothing was learned.

    And whether it stands so in the list; and the terms named that can be muted or boosted.
    """

    why: Why | None
    is_of_list: bool
    terms: Sequence[str]


def answer(explained: Explained, sheet: Sheet, position: int) -> Answer:
    """Say why the paper at a list position, from 1, stands where it does in the ranking of a sheet."""
    if sheet.shown is None:
        raise ValueError("sheet must be sorted")
    why = explained.why(sheet.report, position)
    terms = () if why is None else _terms(sheet.papers[position - 1], why)
    return Answer(why, explained.is_of(sheet.shown.ranking), terms)


def sections(given: Answer) -> list[Section]:
    """Give an answer as it is read, part by part.

    Examples
    --------
    >>> sections(Answer(None, is_of_list=True, terms=()))[0].lines
    ['Too little was found relevant for this report to learn from, so nothing moved the paper.']
    """
    if given.why is None:
        return [Section(words.WHY, [words.TOO_YOUNG])]
    moved = [*words.moved_says(given.why.reasons), *words.heeded_says(given.why.hints)]
    similar = [words.pick_named(pick.title, pick.issue) for pick in given.why.similar]
    return [
        Section(words.WHY, moved if given.is_of_list else [words.CHANGED, *moved], given.terms),
        Section(words.SIMILAR, similar) if similar else Section(words.NOT_SIMILAR, []),
    ]


def said_before(store: Store, sheet: Sheet, paper_id: str) -> list[Section]:
    """Give what was said of a paper, where more than one thing was."""
    history = review_log.history_of(store, sheet.report, sheet.issue, paper_id)
    lines = [words.logged(one) for one in history]
    return [Section(words.SAID, lines)] if len(lines) > 1 else []


def _terms(paper: Paper, why: Why) -> list[str]:
    """Give the reasons that can be muted: what the ranker reads otherwise than it is written can't."""
    up, down = words.named(why.reasons)
    return list(dict.fromkeys(one.text for one in (*up, *down) if one.text and has(paper, one.text)))
