"""Uploaded table of scores, which pages show without a workspace.

A *topic* is a row of the tables here and a *system* a column, as in `presort.metrics.systems_topics`.
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
from presort.desk.text import counted

LEAST_SYSTEMS = 3  # of two, a topic only says which is the better one, and every figure is that of all others
LEAST_TOPICS = 2
MOST = 5_000  # systems or topics of a file: a page answers in a second
NAME_LETTERS = 60  # of a file's name, which came from elsewhere


def read_scores(content: bytes, name: str, *, rows: Literal["systems", "topics"] = "topics") -> pd.DataFrame:
    """Read an uploaded table of scores, as `presort compare` does. Tabs may replace the commas.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file, for messages.
    rows : str
        Meaning of the rows of the file.

    Returns
    -------
    DataFrame, shape (n_topics, n_systems)
        NaN where a score is missing.

    Raises
    ------
    UnreadableFileError
        As `read_score_table`.
    RefusedError
        If it has more systems or topics than a page can show.
    """
    shown = "".join(letter for letter in Path(name).name if letter.isprintable())[-NAME_LETTERS:].lstrip(".")
    with scratch_folder() as folder:
        path = folder / (shown or "scores.csv")
        path.write_bytes(_with_commas(content))
        scores = read_topics_by_systems(path, rows)
    if max(scores.shape) > MOST:
        sizes = f"{counted(scores.shape[1], 'system')} and {counted(len(scores), 'topic')}"
        raise RefusedError(
            f"{path.name} has {sizes}; this page shows up to {MOST:,} of each. `presort compare FILE` takes more."
        )
    return scores


def _with_commas(content: bytes) -> bytes:
    header = content.split(b"\n", 1)[0]
    if b"\t" not in header or b"," in header:
        return content
    file = StringIO(newline="")
    lines = content.decode(errors="surrogateescape").split("\n")  # what is not UTF-8 is found by the reader
    csv.writer(file).writerows(line.rstrip("\r").split("\t") for line in lines)
    return file.getvalue().encode(errors="surrogateescape")


def complete(scores: pd.DataFrame, nouns: Nouns) -> pd.DataFrame:
    """Keep the topics on which every system has a score.

    Raises
    ------
    RefusedError
        If fewer than three systems or two topics are left; the message names the system with the most missing scores.
    """
    kept = scores[scores.notna().all(axis="columns")]
    if kept.shape[1] < LEAST_SYSTEMS or len(kept) < LEAST_TOPICS:
        missing = scores.isna().sum()
        worst = str(missing.idxmax()) if missing.any() else ""
        raise RefusedError(too_few(nouns, scores.shape[1], len(kept), worst, int(missing.max() or 0)))
    return kept


def too_few(nouns: Nouns, n_systems: int, n_complete: int, worst: str, n_missing: int) -> str:
    """Describe that there is too little to compare, and the system with the most missing scores.

    Examples
    --------
    >>> from presort.desk.systems_topics.nouns import OF_FILE
    >>> too_few(OF_FILE, 3, 1, "s3", 49)
    'Only 1 topic has a score of every system; 2 are needed. Most are missing from s3: 49. Fill them, or leave it out.'
    """
    if n_systems < 3:
        there = f"There are only {n_systems}" if n_systems > 1 else "There is only one"
        return f"{there} {nouns.n_systems(n_systems).split(' ', 1)[1]}; it takes 3 to judge each other."
    has = (
        f"{nouns.n_topics(n_complete)} {'has' if n_complete == 1 else 'have'}"
        if n_complete
        else f"no {nouns.topic} has"
    )
    text = f"Only {has}" if n_complete else has.capitalize()
    text = f"{text} a score of every {nouns.system}; 2 are needed."
    return f"{text} Most are missing from {worst}: {n_missing}. Fill them, or leave it out." if worst else text
