"""Claim: re-ranking saves reading in the lists of a report that started from one example, and does no harm elsewhere.

Run as ``OPENBLAS_NUM_THREADS=1 python -m benchmarks.rerank [FOLDER]``, with ``arxiv.parquet`` and ``nber.parquet`` in
the folder. A ranker is trained once and ranks the last issues, in two experiments. The first uses the whole history. In
the second, every fifth report is treated as new: it has no decisions, and the text of one past paper is its only
example. The editor then decides on the first 5, 10 or 15 papers of each list and re-ranks the remaining papers. No
other decisions on this issue or on later issues are used.

- ``to last``: number of papers to read to find every relevant paper
- ``later``: share of lists in which that number increases
- ``95 %``: confidence interval of the mean saving over issues and reports
- ``as advised``: share of a list that is read, and share of the relevant papers that are missed, if the editor reads to
  the stop point for a target recall of 95 %, without re-ranking or with re-ranking after 10 decisions

The last line of each corpus is the time to re-rank a list of 1,000 papers.
"""

import argparse
import time
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import read_history
from presort.data.records import History, Paper
from presort.ranker.rerank import FEWEST_KNOWN, ListFeatures, list_features, report_features, rerank
from presort.ranker.stopping.finished_list import FinishedList
from presort.ranker.stopping.relevance_model import RelevanceModel, fit_relevance_models
from presort.ranker.train import RankedIssue, rank_block
from presort.ranker.versions import DEFAULT, RECIPES

CORPORA = {"arxiv": 8, "nber": 24}  # number of newest issues to rank, by corpus
# Every fifth report is new, starting with index 2. The weights were chosen on the reports starting with index 0.
EVERY, FIRST = 5, 2
DECISIONS = (5, 10, 15)
MISS = 0.05
SEED = 7


@dataclass(frozen=True, eq=False)
class ListCase:
    """Ranked list with its relevant papers.

    `order` contains 1-based list positions, and `scores` and `is_relevant` are in list order.
    """

    report: str
    day: date
    order: NDArray[np.int32]
    scores: NDArray[np.float64]
    is_relevant: NDArray[np.bool_]
    features: ListFeatures
    n_known: int

    def n_to_last(self, order: NDArray[np.int32]) -> int:
        """Return how many papers must be read in the given order to find every relevant paper."""
        return int(np.flatnonzero(self.is_relevant[order - 1])[-1]) + 1

    def order_after(self, n_decisions: int) -> NDArray[np.int32]:
        """Return the order after the editor has decided on the first papers and re-ranked the rest."""
        is_read = np.zeros(len(self.order), dtype=bool)
        is_read[self.order[:n_decisions] - 1] = True
        return rerank(self.features, self.order, self.scores, self.is_relevant & is_read, is_read, n_known=self.n_known)


def give_one_example(whole: History, reports: Sequence[str], first: int) -> History:
    """Give each report the text of one of its past papers as an example, and remove all of its decisions."""
    rng = np.random.default_rng(SEED)
    relevant, seeds = dict(whole.relevant), {}
    for report in reports:
        past = whole.relevant[report][whole.relevant[report] < whole.starts[first]]
        paper = whole.papers[int(rng.choice(past))]
        seeds[report] = [Paper("example", paper.title, paper.abstract)]
        relevant[report] = past[:0]
    return replace(whole, relevant=relevant, seeds=seeds)


def cases(whole: History, ranked: Iterable[RankedIssue], reports: Sequence[str]) -> Iterator[ListCase]:
    """Yield the lists with a relevant paper, issue by issue."""
    by_issue: dict[int, list[RankedIssue]] = defaultdict(list)
    for one in ranked:
        if len(one.scores):
            by_issue[one.issue_index].append(one)
    for index, of_issue in sorted(by_issue.items()):
        start, end = whole.starts[index : index + 2].tolist()
        scores = {one.report: _scores_in_list_order(one) for one in of_issue}
        known = {one.report for one in of_issue if one.n_relevant >= FEWEST_KNOWN}
        text = list_features(whole.papers[start:end], []).text
        for one in of_issue:
            is_relevant = np.zeros(end - start, dtype=bool)
            rows = whole.relevant[one.report]
            is_relevant[rows[(rows >= start) & (rows < end)] - start] = True
            if one.report in reports and is_relevant.any():
                others = [of_other for report, of_other in sorted(scores.items()) if report in known - {one.report}]
                features = ListFeatures(text, report_features(end - start, others))
                in_list = scores[one.report], is_relevant, features, one.n_relevant
                yield ListCase(one.report, whole.issues[index], one.order + 1, *in_list)


def _scores_in_list_order(one: RankedIssue) -> NDArray[np.float64]:
    scores = np.empty(len(one.scores))
    scores[one.order] = one.scores
    return scores


def format_savings(found: Sequence[ListCase], n_decisions: int) -> str:
    """Format the number of papers saved by re-ranking, over the lists in which relevant papers remain to be found."""
    places = [(one.n_to_last(one.order), one.n_to_last(one.order_after(n_decisions))) for one in found]
    before, after = np.array([one for one in places if one[0] > n_decisions]).T
    gain = before - after
    margin = 1.96 * gain.std(ddof=1) / np.sqrt(len(gain))
    return (
        f"after {n_decisions:2} decisions: to last {before.mean():5.1f} -> {after.mean():5.1f} papers, "
        f"saves {gain.mean():5.1f} (95 % {gain.mean() - margin:.1f} to {gain.mean() + margin:.1f}), "
        f"{gain.mean() / before.mean():6.1%}; later in {np.mean(gain < 0):4.0%} of {len(gain)} lists"
    )


def read_as_advised(one: ListCase, model: RelevanceModel, order: NDArray[np.int32], n_read: int) -> tuple[float, float]:
    """Read to the stop point. Returns the share of the list read and the number of relevant papers missed."""
    by_place, is_relevant = np.sort(one.scores)[::-1], one.is_relevant[order - 1]
    while True:
        is_read = np.arange(len(order)) < n_read
        stop = model.forecast(by_place, is_read, is_relevant & is_read).stop(MISS)
        if stop <= n_read:
            return n_read / len(order), float(is_relevant[n_read:].sum())
        # Read only a third of the way to the stop point, because the advice changes with the papers found.
        n_read += max(1, (stop - n_read) // 3)


def format_advice(found: Sequence[ListCase], models: Mapping[date, Mapping[str, RelevanceModel]]) -> str:
    """Format the shares read and missed if the stop advice is followed, without re-ranking and after 10 decisions."""
    n_relevant = sum(int(one.is_relevant.sum()) for one in found)
    parts = []
    for name, n_decisions in (("never", 0), ("re-ranked", 10)):
        figures = [
            read_as_advised(one, models[one.day][one.report], one.order_after(n_decisions), n_decisions)
            for one in found
        ]
        read, missed = np.array(figures).T
        parts.append(f"{name}: read {read.mean():5.1%}, missed {missed.sum() / n_relevant:5.1%}")
    return f"as advised: {'; '.join(parts)}"


def relevance_models(
    finished: Iterable[ListCase], reports: Sequence[str], days: Iterable[date]
) -> dict[date, dict[str, RelevanceModel]]:
    """Fit the relevance models of all reports before each issue, from lists that were read to the end."""
    known: dict[str, list[FinishedList]] = {report: [] for report in reports}
    for one in finished:
        scores, is_relevant = np.sort(one.scores)[::-1], one.is_relevant[one.order - 1]
        known[one.report].append(FinishedList(scores, np.ones(len(scores), dtype=bool), is_relevant, one.day))
    return {day: fit_relevance_models(known, before=day, for_all=False) for day in days}


def seconds_a_list(papers: Sequence[Paper]) -> float:
    """Return the seconds needed to re-rank a list of 1,000 papers after 10 decisions, with 65 other reports."""
    rng = np.random.default_rng(SEED)
    some, scores = list(papers[:1000]), rng.normal(size=(66, 1000))
    order = np.arange(1, 1001, dtype=np.int32)
    start = time.perf_counter()
    features = list_features(some, list(scores[1:]))
    rerank(features, order, scores[0], order <= 6, order <= 10, n_known=1)
    return time.perf_counter() - start


def main() -> None:
    """Print the lines of each corpus."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", nargs="?", type=Path, default=Path("../shared/corpus"))
    parser.add_argument("--corpus", action="append", choices=CORPORA, help="corpus to measure; default both")
    parser.add_argument("--ranker", choices=RECIPES, default=DEFAULT, help=f"default {DEFAULT}")
    options = parser.parse_args()
    for corpus in options.corpus or CORPORA:
        whole = read_history(options.folder / f"{corpus}.parquet")
        first, end = len(whole.issues) - CORPORA[corpus], len(whole.issues)
        everybody = sorted(whole.relevant)
        new = everybody[FIRST::EVERY]
        histories = {"whole history": (whole, everybody), "one example": (give_one_example(whole, new, first), new)}
        finished: list[ListCase] = []
        for name, (history, reports) in histories.items():
            ranked = rank_block(RECIPES[options.ranker], history, first, end, everybody, has_readers=False)
            found = list(cases(whole, ranked, reports))
            finished = finished or found
            own = [one for one in finished if name == "whole history" or one.report not in new]
            print(f"{corpus}, {name}: {len(reports)} reports, {end - first} issues", flush=True)
            for n_decisions in DECISIONS:
                print(f"  {format_savings(found, n_decisions)}", flush=True)
            print(f"  {format_advice(found, relevance_models(own, everybody, {one.day for one in found}))}", flush=True)
        print(f"  {seconds_a_list(whole.papers[-1000:]):.2f} s to re-rank 1,000 papers", flush=True)


if __name__ == "__main__":
    main()
