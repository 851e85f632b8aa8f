"""Claim: `score` is at least 100 times faster per outcome than ir-measures with four measures of the same rankings.

Run as ``python -m benchmarks.score``. Outcomes are random, with n = 600 and r = 1 … 60. ir-measures scores some of
them, from run and qrels in dictionaries, which is its fastest input. Neither time includes the creation of the input.
Both run in one process on one core.
"""

import timeit

import ir_measures
import numpy as np
from ir_measures import AP, RR, P, nDCG

from presort.metrics import MEASURES, Outcome, score

N_OUTCOMES, N, MOST_RELEVANT = 100_000, 600, 60
N_PEER = 300
STANDARD = [AP, RR, nDCG, P @ 10]


def random_outcomes(n_outcomes: int) -> list[Outcome]:
    """Draw outcomes, with r uniform from 1 to 60."""
    random = np.random.default_rng(1)
    return [
        Outcome(np.sort(random.choice(N, size=random.integers(1, MOST_RELEVANT + 1), replace=False)) + 1, N)
        for _ in range(n_outcomes)
    ]


def main() -> None:
    """Print the time per outcome of `score` and of ir-measures, and the ratio of these times."""
    outcomes = random_outcomes(N_OUTCOMES)
    chosen = [name for name, measure in MEASURES.items() if measure.compute_each and not measure.ignores_tail]
    score(outcomes[:10], chosen)  # fills the tables of logarithms and factorials, once per process
    ours = min(timeit.repeat(lambda: score(outcomes, chosen), number=1, repeat=5)) / N_OUTCOMES

    run = {str(i): {str(place): float(N - place) for place in range(1, N + 1)} for i in range(N_PEER)}
    qrels = {str(i): {str(place): 1 for place in outcomes[i].positions.tolist()} for i in range(N_PEER)}
    theirs = list(ir_measures.iter_calc(STANDARD, qrels, run))
    their_time = (
        min(timeit.repeat(lambda: list(ir_measures.iter_calc(STANDARD, qrels, run)), number=1, repeat=5)) / N_PEER
    )

    expected = score(outcomes[:N_PEER], ["average_precision"])["average_precision"].to_numpy()
    found = {int(metric.query_id): metric.value for metric in theirs if metric.measure == AP}
    np.testing.assert_allclose(
        [found[i] for i in range(N_PEER)], expected, rtol=1e-6
    )  # both must compute the same scores

    print(f"score, {len(chosen)} measures, {N_OUTCOMES:,} outcomes: {ours * 1e6:.2f} µs per outcome")
    print(f"ir-measures, {len(STANDARD)} measures, {N_PEER} rankings: {their_time * 1e6:.0f} µs per outcome")
    print(f"ratio: {their_time / ours:.0f} (at least 100)")


if __name__ == "__main__":
    main()
