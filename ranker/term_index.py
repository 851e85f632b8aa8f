"""Where terms stand in many papers: looked up, not searched for paper by paper."""

import re
from collections import defaultdict
from collections.abc import Sequence
from functools import cached_property

from presort.data.records import UNSPACED, Paper, person_key
from presort.ranker.hints import has
from presort.ranker.text import plain_text

# A word, or one character where no spaces stand between words.
PIECE = re.compile(rf"[{UNSPACED}]|[^\W{UNSPACED}]+")
Places = set[int]


class TermIndex:
    """The words, names and codes of papers, and the places of the papers that have them.

    A term stands between characters that are no letters. So each of its words is a whole word of the text, and only
    papers that have all of them need to be searched.

    Parameters
    ----------
    papers : sequence of Paper

    Examples
    --------
    >>> papers = [Paper("p1", "Rates of interest"), Paper("p2", "Interest"), Paper("p3", "Old money", codes=("E51",))]
    >>> index = TermIndex(papers)
    >>> index.having("interest"), index.having("rates interest"), index.having("e5"), index.having("trust")
    ([0, 1], [0], [2], [])
    """

    def __init__(self, papers: Sequence[Paper]) -> None:
        self.papers = papers

    def having(self, term: str) -> list[int]:
        """Return the places, from 0 and ascending, of the papers in which a term stands, as `ranker.hints.has` has it.

        The first call makes the index.
        """
        plain = plain_text(term).strip()
        if not plain:
            return []
        runs = PIECE.findall(plain)
        if runs == [plain]:
            found = self._words.get(plain, set())
        else:
            in_all = [self._words.get(run, set()) for run in runs]
            candidates = set.intersection(*in_all) if in_all else set(range(len(self.papers)))
            found = {place for place in candidates if has(self.papers[place], term)}
        return sorted(found | self._names.get(person_key(term), set()) | self._codes.get(plain, set()))

    @cached_property
    def _words(self) -> dict[str, Places]:
        found: defaultdict[str, Places] = defaultdict(set)
        for place, paper in enumerate(self.papers):
            for run in {*PIECE.findall(plain_text(paper.title)), *PIECE.findall(plain_text(paper.abstract))}:
                found[run].add(place)
        return dict(found)

    @cached_property
    def _names(self) -> dict[str, Places]:
        found: defaultdict[str, Places] = defaultdict(set)
        for place, paper in enumerate(self.papers):
            for name in paper.authors:
                found[person_key(name)].add(place)
        return dict(found)

    @cached_property
    def _codes(self) -> dict[str, Places]:
        """By each group of codes: whatever a code begins with."""
        found: defaultdict[str, Places] = defaultdict(set)
        for place, paper in enumerate(self.papers):
            for code in (code for text in paper.codes for code in plain_text(text).split()):
                for end in range(1, len(code) + 1):
                    found[code[:end]].add(place)
        return dict(found)
