"""Cases for the constraints on measures: pairs of outcomes of which a measure should score the first higher.

Of every constraint, all small cases come first, in growing size, and then random ones, the same at every call. So the
first case that a measure fails is the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, groupby, pairwise, product
from random import Random
from typing import Any

SEED = 2013
N_RANDOM = 100  # random cases of each constraint
DEEPEST = 300  # relevant papers up to which the two thresholds are tried

Arguments = tuple[Any, Any]  # what the measure is called with
Flags = tuple[int, ...]
Cluster = tuple[str, ...]
Clusters = tuple[Cluster, ...]


@dataclass(frozen=True)
class Case:
    """Two sides, of which a measure should give more to the first.

    Attributes
    ----------
    more, less : tuple of arguments
        One call of the measure; or two, and the side is what the measure loses from the first to the second.
    text : str
        The case for people, the side that should score more first.
    """

    more: tuple[Arguments, ...]
    less: tuple[Arguments, ...]
    text: str


def ranking_priority() -> Iterator[Case]:
    """Swap a relevant paper and the irrelevant one just below it: all lists of 2 to 6 papers, random to 30."""
    for flags, n_relevant in _rankings(least=2):
        for i, pair in enumerate(pairwise(flags)):
            if pair == (1, 0):
                swapped = (*flags[:i], 0, 1, *flags[i + 2 :])
                yield _ranking_case(flags, swapped, n_relevant)


def ranking_confidence() -> Iterator[Case]:
    """Append an irrelevant paper to a list with a relevant one: all lists of 1 to 6 papers, random to 30."""
    for flags, n_relevant in _rankings(least=1):
        yield _ranking_case(flags, (*flags, 0), n_relevant)


def ranking_deepness() -> Iterator[Case]:
    """Move the only relevant paper down by one, and from there by one more: lists of 3 to 20 papers, and of 100."""
    for n in (*range(3, 21), 100):
        for i in range(1, n - 1):
            first, second, third = ((_only(position, n), 1) for position in (i, i + 1, i + 2))
            text = f"one relevant paper of {n}: loss from position {i} to {i + 1} over loss from {i + 1} to {i + 2}"
            yield Case((first, second), (second, third), text)


def deepness_threshold() -> Iterator[Case]:
    """Set one relevant paper on top above n relevant papers below n others: n from 2 to 300."""
    for n, top, deep in _top_and_deep():
        yield Case(((top, n),), ((deep, n),), f"n = {n}: 1, then {2 * n - 1} zeros, over {n} zeros, then {n} ones")


def closeness_threshold() -> Iterator[Case]:
    """Set n relevant papers below n others above one relevant paper on top: n from 2 to 300."""
    for n, top, deep in _top_and_deep():
        yield Case(((deep, n),), ((top, n),), f"n = {n}: {n} zeros, then {n} ones, over 1, then {2 * n - 1} zeros")


def clustering_homogeneity() -> Iterator[Case]:
    """Split a cluster with papers of two classes into these: all clusterings of 2 to 5 papers, random to 20."""
    for output in _clusterings():
        for cluster in output:
            parts = _classes(cluster)
            if len(parts) == 2:
                yield _clustering_case(_without(output, cluster) + parts, output, _classes(_papers(output)))


def clustering_completeness() -> Iterator[Case]:
    """Merge two clusters with papers of one class only: all clusterings of 2 to 5 papers, random to 20."""
    for output in _clusterings():
        for one, other in combinations(output, 2):
            if len(_classes(one + other)) == 1:
                merged = (*_without(output, one, other), one + other)
                yield _clustering_case(merged, output, _classes(_papers(output)))


def clustering_rag_bag() -> Iterator[Case]:
    """Add an odd paper to n papers of n classes rather than of one class: n from 2 to 12, alone and with others."""
    for n, output, gold in _with_others():
        clean = tuple(f"clean{i}" for i in range(1, n + 1))
        messy = tuple(f"messy{i}" for i in range(1, n + 1))
        classes = (clean, *_alone(messy), ("odd",), *gold)
        yield _clustering_case((clean, (*messy, "odd"), *output), ((*clean, "odd"), messy, *output), classes)


def clustering_size_versus_quantity() -> Iterator[Case]:
    """Split 1 paper off n + 1 of a class rather than n pairs in two: n from 2 to 12, alone and with other clusters."""
    for n, output, gold in _with_others():
        big = tuple(f"big{i}" for i in range(1, n + 2))
        pairs = tuple((f"pair{i}", f"pair{i}'") for i in range(1, n + 1))
        split = _alone(_papers(pairs))
        yield _clustering_case((big[:-1], big[-1:], *pairs, *output), (big, *split, *output), (big, *pairs, *gold))


def filtering_priority() -> Iterator[Case]:
    """Return a relevant paper in place of an irrelevant one: all counts of 2 to 8 papers, random to 400."""
    for right, wrong, missed, unwanted in _counts():
        gold = (1,) * right + (0,) * wrong + (1,) * missed + (0,) * unwanted
        worse = (1,) * (right + wrong) + (0,) * (missed + unwanted)
        better = (*worse[: right + wrong - 1], 0, 1, *worse[right + wrong + 1 :])
        text = (
            f"{right + 1} of {right + wrong} returned papers relevant over {right}, "
            f"{right + missed} of all {len(gold)} relevant"
        )
        yield Case(((better, gold),), ((worse, gold),), text)


def _rankings(least: int) -> Iterator[tuple[Flags, int]]:
    """Yield lists with a relevant paper, and the relevant papers in all: those listed, and one more."""
    for n in range(least, 7):
        for missing, flags in product((0, 1), product((0, 1), repeat=n)):
            if any(flags):
                yield flags, sum(flags) + missing
    random = Random(SEED)
    for n in sorted(random.randint(7, 30) for _ in range(N_RANDOM)):
        r = random.randint(1, n - 1)
        flags = tuple(random.sample((1,) * r + (0,) * (n - r), n))
        yield flags, r + random.randint(0, 5)


def _ranking_case(more: Flags, less: Flags, n_relevant: int) -> Case:
    shown_more, shown_less = ("".join(map(str, flags)) for flags in (more, less))
    return Case(((more, n_relevant),), ((less, n_relevant),), f"{shown_more} over {shown_less}, {n_relevant} relevant")


def _only(position: int, n: int) -> Flags:
    return (0,) * (position - 1) + (1,) + (0,) * (n - position)


def _top_and_deep() -> Iterator[tuple[int, Flags, Flags]]:
    for n in range(2, DEEPEST + 1):
        yield n, _only(1, 2 * n), (0,) * n + (1,) * n


def _clusterings() -> Iterator[Clusters]:
    """Yield clusterings of papers that carry their class in their first letter."""
    for n in range(2, 6):
        for n_classes in range(1, n + 1):
            for sizes in combinations_with_replacement(range(1, n + 1), n_classes):
                if sum(sizes) == n:
                    letters = "".join(letter * size for letter, size in zip("abcde", sizes, strict=False))
                    yield from _partitions([f"{letter}{i}" for i, letter in enumerate(letters, start=1)])
    random = Random(SEED)
    for n in sorted(random.randint(6, 20) for _ in range(N_RANDOM)):
        yield _scattered(random, [f"{random.choice('abc')}{i}" for i in range(1, n + 1)])


def _partitions(papers: list[str]) -> Iterator[Clusters]:
    """Yield every way to put papers into clusters."""
    if not papers:
        yield ()
        return
    for clusters in _partitions(papers[:-1]):
        yield (*clusters, (papers[-1],))
        for i, cluster in enumerate(clusters):
            yield (*clusters[:i], (*cluster, papers[-1]), *clusters[i + 1 :])


def _scattered(random: Random, papers: list[str]) -> Clusters:
    n_clusters = random.randint(1, len(papers))  # some of which stay empty
    clusters: dict[int, list[str]] = {}
    for paper in papers:
        clusters.setdefault(random.randrange(n_clusters), []).append(paper)
    return tuple(map(tuple, clusters.values()))


def _with_others() -> Iterator[tuple[int, Clusters, Clusters]]:
    """Yield n, alone and then with other papers: the clusters of these, and their classes."""
    for n in range(2, 13):
        yield n, (), ()
    random = Random(SEED)
    for n in sorted(random.randint(2, 12) for _ in range(N_RANDOM)):
        others = [f"{random.choice('abc')}{i}" for i in range(1, random.randint(2, 11))]
        yield n, _scattered(random, others), _classes(tuple(others))


def _classes(papers: Cluster) -> Clusters:
    return tuple(tuple(group) for _, group in groupby(sorted(papers), key=lambda paper: paper[0]))


def _papers(clusters: Clusters) -> Cluster:
    return tuple(paper for cluster in clusters for paper in cluster)


def _alone(papers: Cluster) -> Clusters:
    return tuple((paper,) for paper in papers)


def _without(output: Clusters, *removed: Cluster) -> Clusters:
    return tuple(cluster for cluster in output if cluster not in removed)


def _clustering_case(more: Clusters, less: Clusters, gold: Clusters) -> Case:
    more, less = tuple(sorted(more)), tuple(sorted(less))
    shown_more, shown_less = (" | ".join(map(" ".join, clusters)) for clusters in (more, less))
    return Case(((more, gold),), ((less, gold),), f"{shown_more} over {shown_less}")


def _counts() -> Iterator[tuple[int, int, int, int]]:
    """Count papers rightly and wrongly returned, wrongly and rightly left out; at least one each of the errors."""
    for n in range(2, 9):
        for right, wrong, missed in product(range(n), range(1, n), range(1, n)):
            if right + wrong + missed <= n:
                yield right, wrong, missed, n - right - wrong - missed
    random = Random(SEED)
    for size in sorted(random.randint(3, 100) for _ in range(N_RANDOM)):
        yield random.randint(0, size), random.randint(1, size), random.randint(1, size), random.randint(0, size)
