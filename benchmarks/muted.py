"""Claim: if 100 editors mute 5 terms each, a weekly run of 2,000 papers takes less than a second longer.

Run as ``python -m benchmarks.muted [FILE]`` with ``arxiv.parquet``. Uses the newest papers. The terms are words and
pairs of words that occur in 1 to 10 of these papers. Muted terms are looked up in an index and removed. For comparison,
some papers are searched for every term. Times are processor times on one core.
"""

import argparse
import time
from pathlib import Path

import numpy as np

from benchmarks.peers import read_history
from presort.data.records import Paper
from presort.ranker.gather import _remove_muted_terms
from presort.ranker.hints import TermIndex, remove_terms
from presort.ranker.tokens import words_of

N_PAPERS, N_REPORTS, N_TERMS = 2_000, 100, 5
SLOWLY = 20  # number of papers that are searched for every term


def terms_of(papers: list[Paper], rng: np.random.Generator) -> list[str]:
    """Draw words and pairs of words from titles, and return those that occur in few papers."""
    index, drawn = TermIndex(papers), list[str]()
    while len(drawn) < N_REPORTS * N_TERMS:
        words = words_of(papers[rng.integers(len(papers))].title)
        start, length = rng.integers(len(words) or 1), rng.integers(1, 3)
        term = " ".join(words[start : start + length])
        if term and 1 <= len(index.find(term)) <= 10:
            drawn.append(term)
    return drawn


def main() -> None:
    """Print both times."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("file", type=Path, nargs="?", default=Path("../shared/corpus/arxiv.parquet"))
    papers = list(read_history(parser.parse_args().file).papers[-N_PAPERS:])
    terms = terms_of(papers, np.random.default_rng(1))
    muted = {f"report {number}": terms[number::N_REPORTS] for number in range(N_REPORTS)}
    begin = time.process_time()
    edited, _ = _remove_muted_terms(TermIndex(papers), muted)
    seconds = time.process_time() - begin
    begin = time.process_time()
    n_slowly = sum(
        remove_terms(paper, of_report) != paper
        for of_report in muted.values()
        for paper in papers[:: N_PAPERS // SLOWLY]
    )
    slowly = (time.process_time() - begin) * N_PAPERS / SLOWLY
    print(
        f"{N_PAPERS:,} papers, {N_REPORTS} reports with {N_TERMS} muted terms each: {len(edited):,} papers cut in "
        f"{seconds:.2f} s (claim: under 1 s); paper by paper about {slowly:.0f} s ({n_slowly} of {SLOWLY} papers)"
    )


if __name__ == "__main__":
    main()
