"""Runs and judgements to score and compare, with their paths."""

from pathlib import Path

import pytest

SHARED = Path(__file__).parents[3] / ".." / "shared" / "reference"
needs_shared = pytest.mark.skipif(not SHARED.exists(), reason="the shared reference files are not here")
RUN = "1 Q0 a 1 3 mine\n1 Q0 b 2 2 mine\n1 Q0 c 3 2 mine\n2 Q0 a 1 1 mine\n2 Q0 b 2 0.5 mine\n"
OTHER = "1 Q0 b 1 3 theirs\n1 Q0 a 2 2 theirs\n1 Q0 c 3 1 theirs\n2 Q0 b 1 1 theirs\n2 Q0 a 2 0.5 theirs\n"
QRELS = "1 0 a 1\n1 0 b 0\n1 0 c 1\n2 0 a 1\n2 0 b 0\n"
SCORES = "topic,old,new\n1,0.1,0.3\n2,0.2,0.2\n3,0.4,0.5\n"


def shared(*names):
    return [SHARED / name for name in names]


def write(name, content):
    Path(name).write_text(content, encoding="utf-8")


def good_run(tag, last):
    """Rank 9 of 10 relevant papers first and the tenth at this place of 610, another paper in each topic."""
    lines = []
    for topic, place in last.items():
        papers = [f"r{number}" for number in range(9)] + [f"n{number}" for number in range(600)]
        papers.insert(place - 1, "r9")
        lines += [f"{topic} Q0 {paper} 0 {-rank} {tag}\n" for rank, paper in enumerate(papers)]
    write(f"{tag}.trec", "".join(lines))
