"""Claim: `violations` takes less than 15 times longer for 200,000 outcomes than for 20,000, so it is not quadratic.

Run as ``python -m benchmarks.violations``. Outcomes are random, with r = 12 and n = 600. The values are Aselt as
floats, and the loss of Copnori as exact fractions. A quadratic algorithm would take 100 times longer. Uses one core.
"""

import timeit
from collections.abc import Sequence
from fractions import Fraction

import numpy as np

from presort.metrics.batch import Batch
from presort.metrics.combinatorial import copnori_loss
from presort.metrics.outcome import Outcome
from presort.metrics.presorting import aselt_each
from presort.metrics.violations import violations

R, N = 12, 600
FEW, MANY = 20_000, 200_000


def random_outcomes(n_outcomes: int) -> list[Outcome]:
    """Draw outcomes with R relevant papers out of N."""
    random = np.random.default_rng(1)
    return [Outcome(np.sort(random.choice(N, size=R, replace=False)) + 1, N) for _ in range(n_outcomes)]


def seconds(outcomes: list[Outcome], values: Sequence[float | Fraction], higher_is_better: bool) -> float:
    """Return the shortest time of ten calls."""
    return min(
        timeit.repeat(lambda: violations(outcomes, values, higher_is_better=higher_is_better), number=1, repeat=10)
    )


def main() -> None:
    """Print both times and their ratio for each measure."""
    outcomes = random_outcomes(MANY)
    cases = [
        ("Aselt", aselt_each(Batch.of(outcomes)).tolist(), True),
        ("Copnori, exact", [copnori_loss(outcome) for outcome in outcomes], False),
    ]
    for name, values, higher_is_better in cases:
        few = seconds(outcomes[:FEW], values[:FEW], higher_is_better)
        many = seconds(outcomes, values, higher_is_better)
        found = violations(outcomes, values, higher_is_better=higher_is_better)
        print(f"{name}: {found.n_strict:,} violations and {found.n_ties:,} ties in {found.n_pairs:,} pairs")
        print(f"  {FEW:,} outcomes {few:.3f} s, {MANY:,} outcomes {many:.3f} s: ratio {many / few:.1f} (under 15)")


if __name__ == "__main__":
    main()
