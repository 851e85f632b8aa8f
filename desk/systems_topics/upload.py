"""Read and check an uploaded table of scores.

Rows are topics and columns are systems, as in `presort.metrics.systems_topics`.
"""

import csv
from io import StringIO
from pathlib import Path
from typing import Literal

import pandas as pd

from presort.data.errors import RefusedError
from presort.data.workspace.scratch import scratch_folder
from presort.desk.scores.score_file import read_topics_by_systems
from presort.desk.systems_topics.nouns import Nouns
from presort.desk.text import count_text

LEAST_SYSTEMS = 3  # with two systems, all figures are degenerate (±1)
LEAST_TOPICS = 2
MOST = 5_000  # maximum number of systems or topics: with this many, the page takes about a second
NAME_LETTERS = 60  # maximum length of the file name, which is user input


def read_scores(content: bytes, name: str, *, rows: Literal["systems", "topics"] = "topics") -> pd.DataFrame:
    """Read an uploaded table of scores in the format of `presort compare`, separated by commas or tabs.

    Parameters
    ----------
    content : bytes
        Content of the file.
    name : str
        Name of the file, used in messages.
    rows : "systems" or "topics"
        Meaning of the file's rows.

    Returns
    -------
    DataFrame, shape (n_topics, n_systems)
        NaN where a score is missing.

    Raises
    ------
    UnreadableFileError
        If `read_topics_by_systems` can't read the file.
    RefusedError
        If the table has more systems or topics than the page can show.
    """
    shown = "".join(letter for letter in Path(name).name if letter.isprintable())[-NAME_LETTERS:].lstrip(".")
    with scratch_folder() as folder:
        path = folder / (shown or "scores.csv")
        path.write_bytes(_convert_tabs(content))
        scores = read_topics_by_systems(path, rows)
    if max(scores.shape) > MOST:
        sizes = f"{count_text(scores.shape[1], 'system')} and {count_text(len(scores), 'topic')}"
        raise RefusedError(
            f"{path.name} has {sizes}. This page shows up to {MOST:,} of each. Use `presort compare FILE` for more."
        )
    return scores


def _convert_tabs(content: bytes) -> bytes:
    header = content.split(b"\n", 1)[0]
    if b"\t" not in header or b"," in header:
        return content
    file = StringIO(newline="")
    lines = content.decode(errors="surrogateescape").split("\n")  # invalid UTF-8 is reported when the table is read
    csv.writer(file).writerows(line.rstrip("\r").split("\t") for line in lines)
    return file.getvalue().encode(errors="surrogateescape")


def drop_incomplete_topics(scores: pd.DataFrame, nouns: Nouns) -> pd.DataFrame:
    """Return the rows for topics on which every system has a score.

    Raises
    ------
    RefusedError
        If there are fewer than three systems, or fewer than two topics remain. In the second case, the message names
        the system with the most missing scores.
    """
    kept = scores[scores.notna().all(axis="columns")]
    if kept.shape[1] < LEAST_SYSTEMS or len(kept) < LEAST_TOPICS:
        missing = scores.isna().sum()
        worst = str(missing.idxmax()) if missing.any() else ""
        raise RefusedError(describe_shortage(nouns, scores.shape[1], len(kept), worst, int(missing.max() or 0)))
    return kept


def describe_shortage(nouns: Nouns, n_systems: int, n_complete: int, worst: str, n_missing: int) -> str:
    """Explain that there are too few systems or, if there are enough, too few topics with a score for every system.

    `worst` is the system with the most missing scores, which the message names. Empty if no score is missing.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> describe_shortage(OF_FILE, 3, 1, "s3", 49)
    'Only 1 topic has scores for every system; 2 are needed. s3 lacks the most scores: 49. Add them, or remove s3.'
    """
    if n_systems < 3:
        return f"Only {nouns.n_systems(n_systems)}; at least 3 are needed."
    has = (
        f"{nouns.n_topics(n_complete)} {'has' if n_complete == 1 else 'have'}"
        if n_complete
        else f"no {nouns.topic} has"
    )
    text = f"Only {has}" if n_complete else has.capitalize()
    text = f"{text} scores for every {nouns.system}; 2 are needed."
    return f"{text} {worst} lacks the most scores: {n_missing}. Add them, or remove {worst}." if worst else text
