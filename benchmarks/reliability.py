"""Claim: the time of `reliability_sensitivity` for a ranking grows nearly linearly with its length, not quadratically.

Run as ``python -m benchmarks.reliability``, on one core. A ranking of n papers without ties is compared with a gold
organisation of the same papers in 20 levels of clusters of 5. For comparison, the equation is also computed as
published, in a double loop over the papers, up to n = 5,000. At n = 100,000 the loop would take half an hour.
Differences between the results are rounding errors of the loop, which adds millions of terms one by one.
"""

import random
import time
from collections.abc import Callable, Hashable, Mapping
from typing import Any

from presort.metrics.organisations import Organisation, reliability_sensitivity

C = 7.5  # constant that determines the weights, in papers, for top = 30 and weight = 0.8
LEVELS, CLUSTER = 20, 5

# Level and cluster of a paper, and the weights of the paper, its level and its cluster.
Place = tuple[int, int, float, float, float]


def organisations(n: int) -> tuple[Organisation, Organisation]:
    """Return a ranking of n papers and a random gold organisation of them."""
    papers = [f"paper {number}" for number in range(n)]
    shuffled = random.Random(0).sample(papers, n)
    level = n // LEVELS
    gold = [
        [shuffled[start : start + CLUSTER] for start in range(first, first + level, CLUSTER)]
        for first in range(0, n, level)
    ]
    return [[[paper]] for paper in papers], gold


def places(organisation: Organisation) -> dict[Hashable, Place]:
    """Return the level and cluster of each paper, and the weights of the paper, its level and its cluster."""
    found, above, number = {}, 0, 0
    for level, clusters in enumerate(organisation):
        size = sum(map(len, clusters))
        weight = (C / (C + above) - C / (C + above + size)) / size
        for cluster in clusters:
            for paper in cluster:
                found[paper] = level, number, weight, weight * size, weight * len(cluster)
            number += 1
        above += size
    return found


def double_loop(output: Organisation, gold: Organisation) -> tuple[float, float, float, float]:
    """Compare every pair of papers in both organisations. Each paper occurs once in both."""
    x, g = places(output), places(gold)
    (r_before, r_together), (s_before, s_together) = one_side(x, g), one_side(g, x)
    return r_before, s_before, r_together, s_together


def one_side(ours: Mapping[Hashable, Place], theirs: Mapping[Hashable, Place]) -> tuple[float, float]:
    """Return priority and clustering reliability, computed paper by paper."""
    tail = C / (C + len(ours))
    before, together = 0.0, tail
    for a, (level, cluster, weight, of_level, of_cluster) in ours.items():
        their_level, their_cluster = theirs[a][:2]
        for b, (other_level, other_cluster, other_weight, _, _) in ours.items():
            if level != other_level:
                if (level < other_level and their_level < theirs[b][0]) or (
                    level > other_level and their_level > theirs[b][0]
                ):
                    before += weight * other_weight / (1 - of_level)
            elif cluster == other_cluster and their_cluster == theirs[b][1]:
                together += weight * other_weight / of_cluster
        before += weight * tail * (1 / (1 - of_level) + 1 / (1 - tail))
    return before, together


def time_calls(work: Callable[..., Any], *arguments: Organisation, repeats: int) -> tuple[float, Any]:
    """Call a function repeatedly. Returns the shortest time in seconds, and the result."""
    seconds = []
    for _ in range(repeats):
        start = time.perf_counter()
        result = work(*arguments)
        seconds.append(time.perf_counter() - start)
    return min(seconds), result


def main() -> None:
    """Print a line for each length, and the ratio of times."""
    fast = {}
    for n in (1_000, 5_000, 100_000):
        sides = organisations(n)
        fast[n], figures = time_calls(reliability_sensitivity, *sides, repeats=5)
        line = f"n = {n:7,}: {fast[n] * 1000:8.2f} ms"
        if n <= 5_000:
            seconds, slow = time_calls(double_loop, *sides, repeats=1)
            line += f" | double loop {seconds * 1000:9.1f} ms, {seconds / fast[n]:6,.0f} times as long"
            ours = vars(figures).values()
            line += f" | figures differ by at most {max(abs(a - b) for a, b in zip(ours, slow, strict=True)):.0e}"
        print(line, flush=True)
    print(f"n = 100,000 takes {fast[100_000] / fast[1_000]:.0f} times as long as n = 1,000")


if __name__ == "__main__":
    main()
