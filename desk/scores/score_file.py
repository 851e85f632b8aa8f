"""Read a table of scores from a file. The result has one row per topic and one column per system."""

from pathlib import Path
from typing import Literal

import pandas as pd

from presort.data.errors import UnreadableFileError
from presort.data.importers.score_table import read_score_table
from presort.metrics.score_tables import check_orientation

OTHER = {"topics": "systems", "systems": "topics"}


def read_topics_by_systems(path: Path, rows: Literal["topics", "systems"]) -> pd.DataFrame:
    """Read a table of scores, transposed if necessary so that rows are topics.

    Parameters
    ----------
    path : Path
        CSV file: see `read_score_table`.
    rows : "topics" or "systems"
        What the rows of the file represent.

    Returns
    -------
    DataFrame, shape (n_topics, n_systems)
        NaN where a score is missing.

    Raises
    ------
    UnreadableFileError
        If `read_score_table` can't read the file, or its first cell contradicts `rows`.
    """
    table = read_score_table(path)
    scores = table if rows == "topics" else table.T
    try:
        check_orientation("scores", scores)
    except ValueError as error:
        reason = f"first cell {table.index.name!r} means that its rows are {OTHER[rows]}, not {rows}"
        raise UnreadableFileError(path, reason) from error
    return scores.rename_axis(index=None, columns=None)
