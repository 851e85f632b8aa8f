"""Generate test cases for constraints that measures should satisfy.

A case has two sides. A measure that satisfies the constraint scores the first side higher than the second. For each
constraint, all small cases come first, in order of size, followed by random cases with a fixed seed. The first case
that fails is therefore the smallest.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import combinations, combinations_with_replacement, groupby, pairwise, product
from random import Random
from typing import Any

SEED = 2013
N_RANDOM = 100  # number of random cases per constraint
DEEPEST = 300  # largest n for which the two threshold constraints are tested

Arguments = tuple[Any, Any]  # arguments of one call of the measure
Flags = tuple[int, ...]
Cluster = tuple[str, ...]
Clusters = tuple[Cluster, ...]


@dataclass(frozen=True)
class Case:
    """Two sides of a test case. The measure should score `more` higher than `less`.

    Attributes
    ----------
    more, less : tuple of arguments
        Arguments for one or two calls to the measure. With two calls, the value of the side is the first result minus
        the second.
    text : str
        Description of the case for display, with the side that should score higher first.
    """

    more: tuple[Arguments, ...]
    less: tuple[Arguments, ...]
    text: str


def ranking_priority() -> Iterator[Case]:
    """Yield cases that swap a relevant paper with the irrelevant paper directly below it.

    The cases cover all lists of 2 to 6 papers, and random lists of up to 30.
    """
    for flags, n_relevant in _rankings(least=2):
        for i, pair in enumerate(pairwise(flags)):
            if pair == (1, 0):
                swapped = (*flags[:i], 0, 1, *flags[i + 2 :])
                yield _ranking_case(flags, swapped, n_relevant)


def ranking_confidence() -> Iterator[Case]:
    """Yield cases that append an irrelevant paper to a list that contains a relevant paper.

    The cases cover all lists of 1 to 6 papers, and random lists of up to 30.
    """
    for flags, n_relevant in _rankings(least=1):
        yield _ranking_case(flags, (*flags, 0), n_relevant)


def ranking_deepness() -> Iterator[Case]:
    """Yield cases that move the only relevant paper down twice by one position. The first move should cost more.

    The lists have 3 to 20 papers, or 100 papers.
    """
    for n in (*range(3, 21), 100):
        for i in range(1, n - 1):
            first, second, third = ((_flags_at(position, n), 1) for position in (i, i + 1, i + 2))
            text = f"one relevant paper of {n}: loss from position {i} to {i + 1} over loss from {i + 1} to {i + 2}"
            yield Case((first, second), (second, third), text)


def deepness_threshold() -> Iterator[Case]:
    """Yield cases that compare one relevant paper at the top with n relevant papers below n irrelevant papers.

    n ranges from 2 to 300.
    """
    for n, top, deep in _top_and_deep():
        yield Case(((top, n),), ((deep, n),), f"n = {n}: (1, then {2 * n - 1} zeros) over ({n} zeros, then {n} ones)")


def closeness_threshold() -> Iterator[Case]:
    """Yield the cases of `deepness_threshold` with their sides exchanged."""
    for n, top, deep in _top_and_deep():
        yield Case(((deep, n),), ((top, n),), f"n = {n}: ({n} zeros, then {n} ones) over (1, then {2 * n - 1} zeros)")


def clustering_homogeneity() -> Iterator[Case]:
    """Yield cases that split a cluster with papers of two classes into one cluster per class.

    Covers all clusterings of 2 to 5 papers, and random clusterings of up to 20.
    """
    for output in _clusterings():
        for cluster in output:
            parts = _classes(cluster)
            if len(parts) == 2:
                yield _clustering_case(_remove_clusters(output, cluster) + parts, output, _classes(_papers(output)))


def clustering_completeness() -> Iterator[Case]:
    """Yield cases that merge two clusters of the same class.

    Covers all clusterings of 2 to 5 papers, and random clusterings of up to 20.
    """
    for output in _clusterings():
        for one, other in combinations(output, 2):
            if len(_classes(one + other)) == 1:
                merged = (*_remove_clusters(output, one, other), one + other)
                yield _clustering_case(merged, output, _classes(_papers(output)))


def clustering_rag_bag() -> Iterator[Case]:
    """Yield cases that add an unrelated paper to a mixed cluster, which is better than adding it to a pure one.

    The mixed cluster has n papers of n classes, and the pure cluster has n papers of one class. n ranges from 2 to 12,
    first without other clusters and then with random ones.
    """
    for n, output, gold in _other_papers():
        clean = tuple(f"clean{i}" for i in range(1, n + 1))
        messy = tuple(f"messy{i}" for i in range(1, n + 1))
        classes = (clean, *_singletons(messy), ("odd",), *gold)
        yield _clustering_case((clean, (*messy, "odd"), *output), ((*clean, "odd"), messy, *output), classes)


def clustering_size_versus_quantity() -> Iterator[Case]:
    """Yield cases that split one paper off a large cluster, which is better than splitting many small clusters.

    The large cluster has n + 1 papers, and the n small clusters have two papers each. n ranges from 2 to 12, first
    without other clusters and then with random ones.
    """
    for n, output, gold in _other_papers():
        big = tuple(f"big{i}" for i in range(1, n + 2))
        pairs = tuple((f"pair{i}", f"pair{i}'") for i in range(1, n + 1))
        split = _singletons(_papers(pairs))
        yield _clustering_case((big[:-1], big[-1:], *pairs, *output), (big, *split, *output), (big, *pairs, *gold))


def filtering_priority() -> Iterator[Case]:
    """Yield cases that replace a returned irrelevant paper with a relevant one.

    The cases cover every possible combination of true and false positives and negatives for 2 to 8 papers, and random
    combinations for up to 400 papers.
    """
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
    """Yield each list's relevance flags, and its number of relevant papers, including those missing from the list."""
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


def _flags_at(position: int, n: int) -> Flags:
    return (0,) * (position - 1) + (1,) + (0,) * (n - position)


def _top_and_deep() -> Iterator[tuple[int, Flags, Flags]]:
    for n in range(2, DEEPEST + 1):
        yield n, _flags_at(1, 2 * n), (0,) * n + (1,) * n


def _clusterings() -> Iterator[Clusters]:
    """Yield clusterings of papers. The first letter of a paper's id is its class."""
    for n in range(2, 6):
        for n_classes in range(1, n + 1):
            for sizes in combinations_with_replacement(range(1, n + 1), n_classes):
                if sum(sizes) == n:
                    letters = "".join(letter * size for letter, size in zip("abcde", sizes, strict=False))
                    yield from _partitions([f"{letter}{i}" for i, letter in enumerate(letters, start=1)])
    random = Random(SEED)
    for n in sorted(random.randint(6, 20) for _ in range(N_RANDOM)):
        yield _scatter_papers(random, [f"{random.choice('abc')}{i}" for i in range(1, n + 1)])


def _partitions(papers: list[str]) -> Iterator[Clusters]:
    """Yield every partition of the papers into clusters."""
    if not papers:
        yield ()
        return
    for clusters in _partitions(papers[:-1]):
        yield (*clusters, (papers[-1],))
        for i, cluster in enumerate(clusters):
            yield (*clusters[:i], (*cluster, papers[-1]), *clusters[i + 1 :])


def _scatter_papers(random: Random, papers: list[str]) -> Clusters:
    n_clusters = random.randint(1, len(papers))  # only an upper limit, because clusters without papers are dropped
    clusters: dict[int, list[str]] = {}
    for paper in papers:
        clusters.setdefault(random.randrange(n_clusters), []).append(paper)
    return tuple(map(tuple, clusters.values()))


def _other_papers() -> Iterator[tuple[int, Clusters, Clusters]]:
    """Yield values of n, each with the clusters and the classes of additional papers.

    Every value from 2 to 12 is first yielded without additional papers. Random values with random additional papers
    follow.
    """
    for n in range(2, 13):
        yield n, (), ()
    random = Random(SEED)
    for n in sorted(random.randint(2, 12) for _ in range(N_RANDOM)):
        others = [f"{random.choice('abc')}{i}" for i in range(1, random.randint(2, 11))]
        yield n, _scatter_papers(random, others), _classes(tuple(others))


def _classes(papers: Cluster) -> Clusters:
    return tuple(tuple(group) for _, group in groupby(sorted(papers), key=lambda paper: paper[0]))


def _papers(clusters: Clusters) -> Cluster:
    return tuple(paper for cluster in clusters for paper in cluster)


def _singletons(papers: Cluster) -> Clusters:
    return tuple((paper,) for paper in papers)


def _remove_clusters(output: Clusters, *removed: Cluster) -> Clusters:
    return tuple(cluster for cluster in output if cluster not in removed)


def _clustering_case(more: Clusters, less: Clusters, gold: Clusters) -> Case:
    more, less = tuple(sorted(more)), tuple(sorted(less))
    shown_more, shown_less = (" | ".join(map(" ".join, clusters)) for clusters in (more, less))
    return Case(((more, gold),), ((less, gold),), f"{shown_more} over {shown_less}")


def _counts() -> Iterator[tuple[int, int, int, int]]:
    """Yield numbers of true positives, false positives, false negatives and true negatives.

    Each combination has at least one false positive and at least one false negative.
    """
    for n in range(2, 9):
        for right, wrong, missed in product(range(n), range(1, n), range(1, n)):
            if right + wrong + missed <= n:
                yield right, wrong, missed, n - right - wrong - missed
    random = Random(SEED)
    for size in sorted(random.randint(3, 100) for _ in range(N_RANDOM)):
        yield random.randint(0, size), random.randint(1, size), random.randint(1, size), random.randint(0, size)
