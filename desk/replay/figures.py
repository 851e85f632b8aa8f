"""Figures as files: a replay's rankers side by side, on paper or in a browser without a network."""

from collections.abc import Sequence
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import altair as alt
import pandas as pd

from presort.data.errors import DataError
from presort.data.records import Replay
from presort.desk.replay.charts import replay_panels
from presort.desk.scores.curves import last_by_issue, reading_curves
from presort.desk.text import counted

ENDINGS = (".svg", ".png", ".html")
PIXELS = 3  # of a PNG for each of the chart's: 300 dots an inch across a page of A4 laid sideways


def check_path(path: Path) -> None:
    """Refuse a file that no figure can be written to.

    Raises
    ------
    ValueError
        If it has another ending than those of `ENDINGS`, is a folder, or its folder is missing.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"{path.name!r} ends in none of {', '.join(ENDINGS)}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder")
    if not path.parent.is_dir():
        raise ValueError(f"there is no folder {path.parent}")


def replay_figure(table: pd.DataFrame, rankers: Sequence[str], replay: Replay) -> alt.HConcatChart:
    """Draw the rankers of a replay side by side, in this order, by a table of `comparable` that is not empty."""
    medians = table.groupby("ranker")["relative_last_position"].median().loc[list(rankers)]
    panels = replay_panels(last_by_issue(table), reading_curves(table), medians)
    n_report_issues = len(table) // len(rankers)
    sizes = (
        f"{counted(table['issue'].nunique(), 'issue')}, {counted(table['report'].nunique(), 'report')}, "
        f"{counted(n_report_issues, 'report issue')}; trained every {counted(replay.retrain_every, 'issue')}"
    )
    title = alt.Title(
        f"How far an editor must read: issues of {replay.first_issue} to {replay.last_issue}",
        subtitle=sizes,
        anchor="start",
        fontSize=16,
        subtitleFontSize=13,
        offset=14,
    )
    return panels.properties(title=title)


def save(chart: alt.HConcatChart, path: Path) -> None:
    """Write a chart in the format that the file's ending names; a file that is there is replaced.

    A page in HTML holds all it needs. Nothing half written stays behind.

    Raises
    ------
    DataError
        If the file can't be written.
    """
    ending = path.suffix.lower()
    options: dict[str, Any] = {
        ".png": {"scale_factor": PIXELS},
        ".html": {"inline": True, "embed_options": {"actions": False}},
    }
    try:
        with TemporaryDirectory(prefix=".presort-", dir=path.parent) as folder:  # there, so that it can be moved
            unfinished = Path(folder) / f"figure{ending}"
            chart.save(unfinished, **options.get(ending, {}))
            unfinished.replace(path)
    except OSError as error:
        raise DataError(f"{path} can't be written: {error.strerror}.") from error
