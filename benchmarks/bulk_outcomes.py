"""Claim: `Outcome.from_matrix` is at least 10 times faster than `Outcome.from_relevance` for each row.

Run as ``python -m benchmarks.bulk_outcomes``. Rankings are random, with n = 600 and 5 % relevant papers. Also prints
the time that `score` takes for the same outcomes, and the time to read a run of 100,000 lines and score it like
``presort score``. Import times are not included.
"""

import random
import tempfile
import timeit
from pathlib import Path

import numpy as np

from presort.metrics import MEASURES, Outcome, read_qrels, read_run, score

N_OUTCOMES, N, SHARE = 20_000, 600, 0.05
N_TOPICS, N_RETURNED, N_JUDGED = 100, 1_000, 120


def write_run(folder: Path) -> tuple[Path, Path]:
    """Write a random run and random judgements for it."""
    draw, run, qrels = random.Random(1), folder / "run.trec", folder / "qrels.trec"
    with run.open("w") as run_file, qrels.open("w") as qrels_file:
        for topic in range(N_TOPICS):
            papers = draw.sample(range(500_000), N_RETURNED)
            scores = sorted((draw.random() for _ in papers), reverse=True)
            for rank, (paper, value) in enumerate(zip(papers, scores, strict=True)):
                run_file.write(f"{topic} Q0 FBIS3-{paper} {rank} {value:.6f} mine\n")
            for paper in papers[::8][:N_JUDGED]:
                qrels_file.write(f"{topic} 0 FBIS3-{paper} {draw.choice([0, 0, 1, 2])}\n")
    return run, qrels


def seconds(call: object) -> float:
    """Call a function three times, and return the shortest time in seconds."""
    return min(timeit.repeat(call, number=1, repeat=3))  # type: ignore[arg-type]


def main() -> None:
    """Print the times and the ratio."""
    matrix = np.random.default_rng(1).random((N_OUTCOMES, N)) < SHARE
    made = Outcome.from_matrix(matrix)
    if made != [Outcome.from_relevance(row) for row in matrix]:
        raise ValueError("from_matrix and from_relevance returned different outcomes")
    single = seconds(lambda: [Outcome.from_relevance(row) for row in matrix]) / N_OUTCOMES
    bulk = seconds(lambda: Outcome.from_matrix(matrix)) / N_OUTCOMES
    chosen = [name for name, measure in MEASURES.items() if measure.compute_each]
    measured = seconds(lambda: score(made, chosen)) / N_OUTCOMES
    print(f"from_relevance: {single * 1e6:.2f} µs per outcome, from_matrix: {bulk * 1e6:.2f} µs")
    print(f"ratio: {single / bulk:.1f} (at least 10)")
    print(f"score, {len(chosen)} measures: {measured * 1e6:.2f} µs per outcome")
    with tempfile.TemporaryDirectory() as folder:
        run, qrels = write_run(Path(folder))
        print(
            f"run of {N_TOPICS * N_RETURNED:,} lines read: {seconds(lambda: (read_run(run), read_qrels(qrels))):.3f} s"
        )
        print(f"read and measured: {seconds(lambda: score(run, qrels)):.3f} s")


if __name__ == "__main__":
    main()
