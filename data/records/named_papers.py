"""Sequence of papers that stores only the ids of most papers, to save memory."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import overload

from presort.data.records.papers import Paper


@dataclass(frozen=True, eq=False)
class NamedPapers(Sequence[Paper]):
    """Sequence of papers whose first papers have ids but no texts. Their `Paper` objects are created on access.

    Attributes
    ----------
    named : sequence of str
        Ids of the first papers.
    whole : sequence of Paper
        Complete papers that follow the papers without texts.

    Examples
    --------
    >>> papers = NamedPapers(["p1", "p2"], [Paper("p3", "Old money")])
    >>> len(papers), papers[1] == Paper("p2", ""), papers[1:].ids, papers[-1].title
    (3, True, ['p2', 'p3'], 'Old money')
    """

    named: Sequence[str]
    whole: Sequence[Paper]

    def __len__(self) -> int:
        return len(self.named) + len(self.whole)

    @overload
    def __getitem__(self, place: int) -> Paper: ...

    @overload
    def __getitem__(self, place: slice) -> "NamedPapers": ...

    def __getitem__(self, place: "int | slice") -> "Paper | NamedPapers":
        n_named = len(self.named)
        if isinstance(place, slice):
            first, last, step = place.indices(len(self))
            if step != 1:
                raise ValueError(f"place must be a slice with step 1, got step {step}")
            whole = slice(max(first - n_named, 0), max(last - n_named, 0))
            return NamedPapers(self.named[first:last], self.whole[whole])
        place = range(len(self))[place]
        return Paper(self.named[place], "") if place < n_named else self.whole[place - n_named]

    @property
    def ids(self) -> list[str]:
        """Ids of all papers."""
        return [*self.named, *(paper.paper_id for paper in self.whole)]

    def with_papers(self, papers: Sequence[Paper]) -> "NamedPapers":
        """Return a sequence with more papers appended."""
        return NamedPapers(self.named, [*self.whole, *papers])


def as_named_papers(papers: Sequence[Paper]) -> NamedPapers:
    """Convert papers to `NamedPapers`, keeping their texts."""
    return papers if isinstance(papers, NamedPapers) else NamedPapers([], papers)
