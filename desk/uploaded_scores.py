"""A table of scores that somebody brought along in a file, so that pages can show it without a workspace.

A *system* is a row of the tables here and a *topic* a column, as in `metrics.systems_topics`.
"""

import csv
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal

import pandas as pd

from data.errors import RefusedError
from data.importers.score_table import read_score_table
from desk.words import systems_topics as words

LEAST = 2  # of systems and of topics: with fewer there is nothing to tell apart
MOST = 5_000  # systems or topics of a file: a page answers in a second
NAME_LETTERS = 60  # of a file's name, which came from elsewhere


def read_scores(content: bytes, name: str, *, rows: Literal["systems", "topics"] = "topics") -> pd.DataFrame:
    """Read an uploaded table of scores, as `presort compare` does; tabs may stand for the commas.

    Parameters
    ----------
    content : bytes
    name : str
        Of the file, for messages.
    rows : str
        What a row of the file is.

    Returns
    -------
    DataFrame, shape (n_systems, n_topics)
        NaN where a score is missing.

    Raises
    ------
    UnreadableFileError
        As `read_score_table`.
    RefusedError
        If it has more systems or topics than a page can show.
    """
    shown = "".join(letter for letter in Path(name).name if letter.isprintable())[-NAME_LETTERS:].lstrip(".")
    with TemporaryDirectory(prefix="presort-") as folder:
        path = Path(folder) / (shown or "scores.csv")
        path.write_bytes(_with_commas(content))
        table = read_score_table(path)
    scores = table.T if rows == "topics" else table
    if max(scores.shape) > MOST:
        raise RefusedError(words.too_large(path.name, *scores.shape, MOST))
    return scores


def _with_commas(content: bytes) -> bytes:
    header = content.split(b"\n", 1)[0]
    if b"\t" not in header or b"," in header:
        return content
    file = StringIO(newline="")
    lines = content.decode(errors="surrogateescape").split("\n")  # what is not UTF-8 is found by the reader
    csv.writer(file).writerows(line.rstrip("\r").split("\t") for line in lines)
    return file.getvalue().encode(errors="surrogateescape")


def complete(scores: pd.DataFrame, nouns: words.Nouns) -> pd.DataFrame:
    """Keep the topics on which every system has a score.

    Raises
    ------
    RefusedError
        If fewer than two systems or topics are left; the message names the system with the most missing scores.
    """
    kept = scores.loc[:, scores.notna().all()]
    if min(kept.shape) < LEAST:
        missing = scores.isna().sum(axis="columns")
        worst = str(missing.idxmax()) if missing.any() else ""
        raise RefusedError(words.too_few(nouns, len(scores), kept.shape[1], worst, int(missing.max() or 0)))
    return kept
