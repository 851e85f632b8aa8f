"""Claim: the table of Unanimous Improvement Ratios of 20 systems on 10,000 cases by 3 metrics takes under 2 seconds.

Run as ``python -m benchmarks.improvement``. For comparison, a plain loop over the rows of pandas tables runs on some of
the pairs and cases. Both times are printed per pair and case. The table's time also includes F, sorting and the list of
systems.
"""

from time import perf_counter

import numpy as np
import pandas as pd

from presort.metrics.improvement import uir_matrix, uir_table

N_SYSTEMS, N_CASES, N_METRICS = 20, 10_000, 3
LOOPED_SYSTEMS, LOOPED_CASES = 5, 1_000


def looped_ratio(a: pd.DataFrame, b: pd.DataFrame) -> float:
    """Compare two systems with a plain loop over cases and metrics."""
    n_better = n_worse = 0
    for row_a, row_b in zip(a.itertuples(index=False), b.itertuples(index=False), strict=True):
        n_better += all(x >= y for x, y in zip(row_a, row_b, strict=True))
        n_worse += all(y >= x for x, y in zip(row_a, row_b, strict=True))
    return (n_better - n_worse) / len(a)


def main() -> None:
    """Time both methods and print the results."""
    random = np.random.default_rng(0)
    scores = {f"system {number}": random.random((N_CASES, N_METRICS)) for number in range(N_SYSTEMS)}
    start = perf_counter()
    uir_table(scores)
    seconds = perf_counter() - start
    part = {name: pd.DataFrame(values[:LOOPED_CASES]) for name, values in list(scores.items())[:LOOPED_SYSTEMS]}
    start = perf_counter()
    looped = [[looped_ratio(a, b) for b in part.values()] for a in part.values()]
    looped_seconds = perf_counter() - start
    if not np.array_equal(looped, uir_matrix(part)):
        raise SystemExit("the loop and the table differ")
    each = seconds / (N_SYSTEMS**2 * N_CASES)
    looped_each = looped_seconds / (LOOPED_SYSTEMS**2 * LOOPED_CASES)
    print(
        f"uir_table, {N_SYSTEMS} systems x {N_CASES:,} cases x {N_METRICS} metrics: {seconds:.2f} s (claim: under 2 s)"
    )
    print(f"per pair and case: {each * 1e9:.0f} ns, plain loop {looped_each * 1e9:.0f} ns: {looped_each / each:.0f} x")


if __name__ == "__main__":
    main()
