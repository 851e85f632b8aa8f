"""Exporter for rankings and decisions in TREC's text formats: runs and relevance judgements (qrels).

A TREC *topic* is a report issue in Presort. The module `metrics.trec` reads these formats.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e30  # maximum absolute value of a score, well below the limit of single precision


def topic_of(report: str, issue: date) -> str:
    """Return the topic name of a report issue.

    Examples
    --------
    >>> topic_of("lab", date(2026, 11, 16))
    'lab.2026-11-16'
    """
    return f"{report}.{issue}"


def write_run(file: BinaryIO, topic: str, papers: Sequence[str], scores: Sequence[float], *, tag: str) -> None:
    """Write one topic of a run, in UTF-8. Call it repeatedly to write several topics to one file.

    Parameters
    ----------
    file : BinaryIO
    topic : str
        Topic name, as returned by `topic_of`.
    papers : sequence of str
        Paper ids, best first.
    scores : sequence of float
        Scores in descending order. There may be fewer scores than papers. Empty for a list in its original order.
    tag : str
        Name of the ranker, without spaces.

    Notes
    -----
    Programs that read runs sort by score only, in single precision, and break ties by id. To preserve the order of the
    papers, scores are written in single precision, and a score that is not below the previous one is lowered to the
    next smaller number. Papers without a score get scores below the last one. If no paper has a score, scores count
    down to 1.
    """
    falling = _descending_scores(scores, len(papers)) if len(scores) else range(len(papers), 0, -1)
    lines = zip(papers, falling, strict=True)
    text = "".join(
        f"{topic} Q0 {escape_id(paper)} {place} {score!r} {tag}\n"
        for place, (paper, score) in enumerate(lines, start=1)
    )
    file.write(text.encode())


def write_qrels(file: BinaryIO, topic: str, judgements: Mapping[str, int]) -> None:
    """Write the judgements of one topic by paper id, in UTF-8: 1 for a relevant paper, 0 for any other."""
    lines = [f"{topic} 0 {escape_id(paper)} {judgement}\n" for paper, judgement in judgements.items()]
    file.write("".join(lines).encode())


def escape_id(paper_id: str) -> str:
    """Escape spaces in an id, because a space ends a field. Different ids stay different.

    Examples
    --------
    >>> escape_id("RePEc:abc:1"), escape_id("a b"), escape_id("a%20b")
    ('RePEc:abc:1', 'a%20b', 'a%2520b')
    """
    return paper_id.replace("%", "%25").replace(" ", "%20")


def _descending_scores(scores: Sequence[float], n_papers: int) -> list[float]:
    """Return strictly falling scores in single precision, extended to papers without a score."""
    single = np.clip(scores, -LARGEST, LARGEST).astype(np.float32)
    numbers = np.full(n_papers, _float_ranks(single[-1:])[0])
    numbers[: len(single)] = _float_ranks(single)
    steps = np.arange(n_papers)
    falling = np.minimum.accumulate(numbers + steps) - steps
    below: list[float] = (np.sign(falling) * np.abs(falling).astype(np.int32).view(np.float32)).tolist()
    return below


def _float_ranks(single: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return the rank of each float among all floats, with 0 for 0.0. The ranks of adjacent floats differ by 1."""
    return np.sign(single).astype(np.int64) * np.abs(single).view(np.int32)
