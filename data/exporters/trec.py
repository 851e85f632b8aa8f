"""Rankings and decisions as runs and relevance judgements in the text formats of TREC; `metrics.trec` has more.

The literature's *topic* is our report issue.
"""

from collections.abc import Mapping, Sequence
from datetime import date
from typing import BinaryIO

import numpy as np
from numpy.typing import NDArray

LARGEST = 1e30  # of a score, either way from 0: far from where single precision ends


def topic_of(report: str, issue: date) -> str:
    """Name the topic of a report issue.

    Examples
    --------
    >>> topic_of("lab", date(2026, 11, 16))
    'lab.2026-11-16'
    """
    return f"{report}.{issue}"


def write_run(file: BinaryIO, topic: str, papers: Sequence[str], scores: Sequence[float], *, tag: str) -> None:
    """Write one topic of a run, in UTF-8; a file may take several, one after the other.

    Parameters
    ----------
    topic : str
        As `topic_of` gives it.
    papers : sequence of str
        Ids, best first.
    scores : sequence of float
        Of the first of them, from the first on and falling; of none in list order.
    tag : str
        Name of the ranker, without spaces.

    Notes
    -----
    Programs that read runs sort by score alone, in single precision, and break ties by id. To keep our order,
    scores are written in single precision, and one that is not below the one above it as the next number below that.
    Papers without a score come last likewise; where none has one, they count down to 1.
    """
    falling = _falling(scores, len(papers)) if len(scores) else range(len(papers), 0, -1)
    lines = zip(papers, falling, strict=True)
    text = "".join(
        f"{topic} Q0 {token(paper)} {place} {score!r} {tag}\n" for place, (paper, score) in enumerate(lines, start=1)
    )
    file.write(text.encode())


def write_qrels(file: BinaryIO, topic: str, judgements: Mapping[str, int]) -> None:
    """Write the judgements of one topic by paper id, 1 for a relevant paper and 0 for any other, in UTF-8."""
    lines = [f"{topic} 0 {token(paper)} {judgement}\n" for paper, judgement in judgements.items()]
    file.write("".join(lines).encode())


def token(paper_id: str) -> str:
    """Write an id without spaces, which end a field there; no two ids become the same.

    Examples
    --------
    >>> token("RePEc:abc:1"), token("a b"), token("a%20b")
    ('RePEc:abc:1', 'a%20b', 'a%2520b')
    """
    return paper_id.replace("%", "%25").replace(" ", "%20")


def _falling(scores: Sequence[float], n_papers: int) -> list[float]:
    """Return scores in single precision, each below the one before, and more of them for the papers that have none."""
    single = np.clip(scores, -LARGEST, LARGEST).astype(np.float32)
    numbers = np.full(n_papers, _number(single[-1:])[0])
    numbers[: len(single)] = _number(single)
    steps = np.arange(n_papers)
    falling = np.minimum.accumulate(numbers + steps) - steps
    below: list[float] = (np.sign(falling) * np.abs(falling).astype(np.int32).view(np.float32)).tolist()
    return below


def _number(single: NDArray[np.float32]) -> NDArray[np.int64]:
    """Return each float its place among all floats, from 0 for 0: those of neighbours differ by 1."""
    return np.sign(single).astype(np.int64) * np.abs(single).view(np.int32)
