"""Past report issues, ranked as if each were new, and the spans on which forecasts are evaluated.

Replays can be stored in a folder, in one file per corpus and ranker. Later runs read these files instead of replaying
again.
"""

import argparse
from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from benchmarks.peers import MIN_PAPERS, read_history
from presort.ranker.tokens import tokens_of
from presort.ranker.train import replay
from presort.ranker.versions import RECIPES


class Span(NamedTuple):
    """Date from which a corpus is replayed, and its two spans of issues to forecast."""

    first: date
    chosen: tuple[date, date]
    untouched: tuple[date, date]


SPANS = {
    "arxiv": Span(date(2018, 1, 1), (date(2018, 7, 1), date(2018, 12, 31)), (date(2019, 1, 1), date(2019, 6, 30))),
    "nber": Span(date(2009, 1, 1), (date(2014, 1, 1), date(2018, 12, 31)), (date(2019, 1, 1), date(2021, 12, 31))),
}


class Case(NamedTuple):
    """Ranked report issue, best paper first."""

    report: str
    day: date
    scores: NDArray[np.float64]
    is_relevant: NDArray[np.bool_]


def parse_options(description: str | None, *, tries: int) -> argparse.Namespace:
    """Parse the options of a benchmark that makes `tries` random draws and can use stored replays."""
    parser = argparse.ArgumentParser(description=description, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--tries", type=int, default=tries)
    parser.add_argument("--kept", type=Path, help="folder of stored replays")
    return parser.parse_args()


def replay_cases(path: Path, span: Span, keep: Path | None, ranker: str) -> list[Case]:
    """Return the large reports' issues by date, from a stored replay if there is one or else from a new replay."""
    kept = keep / f"{path.stem}-{ranker}.npz" if keep else None
    if kept and kept.exists():
        with np.load(kept) as file:
            reports, days, n, scores, flags = (file[name] for name in ("reports", "days", "n", "scores", "flags"))
        ends = n.cumsum()[:-1]
        parts = zip(reports.tolist(), days.tolist(), np.split(scores, ends), np.split(flags, ends), strict=True)
        return [Case(report, date.fromisoformat(day), *arrays) for report, day, *arrays in parts]
    cases = list(_replay(path, span, ranker))
    if kept:
        kept.parent.mkdir(parents=True, exist_ok=True)
        columns = zip(*cases, strict=True)
        reports, days, scores, flags = (list(column) for column in columns)
        n = np.array([len(one) for one in scores])
        names = [day.isoformat() for day in days]
        scores, flags = np.concatenate(scores), np.concatenate(flags)
        np.savez(kept, reports=np.array(reports), days=np.array(names), n=n, scores=scores, flags=flags)
    return cases


def _replay(path: Path, span: Span, ranker: str) -> Iterator[Case]:
    history = read_history(path)
    history = replace(history, tokens=tokens_of(history.papers))
    first, last = (sum(day < end for day in history.issues) for end in (span.first, span.untouched[1]))
    reports = list(history.relevant)
    for one in replay(RECIPES[ranker], history, first, last, reports=reports, retrain_every=1):
        rows = history.relevant[one.report]
        if len(one.scores) and len(rows) >= MIN_PAPERS:
            is_relevant = np.isin(one.order + history.starts[one.issue_index], rows)
            yield Case(one.report, history.issues[one.issue_index], one.scores, is_relevant)
