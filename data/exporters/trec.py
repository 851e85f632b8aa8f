"""Exporter for TREC's text formats: rankings are written as runs, and decisions as relevance judgements (qrels).

A TREC *topic* corresponds to a report issue in Presort. The module `metrics.trec` reads these formats.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e30  # maximum absolute value of a score, well below the limit of single precision


def topic_of(report: str, issue: date) -> str:
    """Return the TREC topic name for a report issue.

    Examples
    --------
    >>> topic_of("lab", date(2026, 11, 16))
    'lab.2026-11-16'
    """
    return f"{report}.{issue}"


def write_run(file: BinaryIO, topic: str, papers: Sequence[str], scores: Sequence[float], *, tag: str) -> None:
    """Write the run for one topic, encoded in UTF-8. To write several topics to a file, call the function repeatedly.

    Parameters
    ----------
    file : BinaryIO
    topic : str
        Topic name, as returned by `topic_of`.
    papers : sequence of str
        Paper ids, best first.
    scores : sequence of float
        Scores of the first papers, in descending order. The remaining papers have no scores. Empty if the papers are in
        list order.
    tag : str
        Name of the ranker, without spaces.

    Notes
    -----
    Programs that read runs sort only by single-precision score, and break ties by id. To preserve the order of the
    papers, scores are rounded to single precision, and any score that isn't below the previous one is lowered to the
    next smaller number. Papers without a score get scores below the last score. If no paper has a score, consecutive
    integers that end with 1 are written instead.
    """
    falling = _descending_scores(scores, len(papers)) if len(scores) else range(len(papers), 0, -1)
    lines = zip(papers, falling, strict=True)
    text = "".join(
        f"{topic} Q0 {escape_id(paper)} {place} {score!r} {tag}\n"
        for place, (paper, score) in enumerate(lines, start=1)
    )
    file.write(text.encode())


def write_qrels(file: BinaryIO, topic: str, judgements: Mapping[str, int]) -> None:
    """Write one topic's judgements, encoded in UTF-8. `judgements` maps paper ids to 1 (relevant) or 0 (all others)."""
    lines = [f"{topic} 0 {escape_id(paper)} {judgement}\n" for paper, judgement in judgements.items()]
    file.write("".join(lines).encode())


def escape_id(paper_id: str) -> str:
    """Escape spaces in an id, because a space would end the field. Different ids never become equal.

    Examples
    --------
    >>> escape_id("RePEc:abc:1"), escape_id("a b"), escape_id("a%20b")
    ('RePEc:abc:1', 'a%20b', 'a%2520b')
    """
    return paper_id.replace("%", "%25").replace(" ", "%20")


def _descending_scores(scores: Sequence[float], n_papers: int) -> list[float]:
    """Return strictly decreasing single-precision scores, including scores for the papers that had none."""
    single = np.clip(scores, -LARGEST, LARGEST).astype(np.float32)
    numbers = np.full(n_papers, _float_ranks(single[-1:])[0])
    numbers[: len(single)] = _float_ranks(single)
    steps = np.arange(n_papers)
    falling = np.minimum.accumulate(numbers + steps) - steps
    below: list[float] = (np.sign(falling) * np.abs(falling).astype(np.int32).view(np.float32)).tolist()
    return below


def _float_ranks(single: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rank of each float among all floats, with 0 for 0.0. Ranks of adjacent floats differ by 1."""
    return np.sign(single).astype(np.int64) * np.abs(single).view(np.int32)
