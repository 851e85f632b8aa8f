"""Table of scores in a file, with a row per topic and a column per system, as `presort.metrics` takes it."""

from pathlib import Path
from typing import Literal

import pandas as pd

from presort.data.errors import UnreadableFileError
from presort.data.importers.score_table import read_score_table
from presort.metrics.score_tables import check_orientation

OTHER = {"topics": "systems", "systems": "topics"}


def read_topics_by_systems(path: Path, rows: Literal["topics", "systems"]) -> pd.DataFrame:
    """Read a table of scores and turn it so that rows are topics.

    Parameters
    ----------
    path : Path
    rows : str
        Meaning of the rows of the file.

    Returns
    -------
    DataFrame, shape (n_topics, n_systems)
        NaN where a score is missing.

    Raises
    ------
    UnreadableFileError
        As `read_score_table`, or if the first cell of the file says that its rows are not these.
    """
    table = read_score_table(path)
    scores = table if rows == "topics" else table.T
    try:
        check_orientation("scores", scores)
    except ValueError as error:
        reason = f"its first cell is {table.index.name!r}, so that its rows are {OTHER[rows]}, not {rows}; choose these"
        raise UnreadableFileError(path, reason) from error
    return scores.rename_axis(index=None, columns=None)
