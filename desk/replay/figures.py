"""Write the chart of a replay to a file: SVG, PNG, or HTML that works offline."""

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
from presort.desk.text import count_text

ENDINGS = (".svg", ".png", ".html")
PIXELS = 3  # scale factor of a PNG: about 300 dpi on a landscape A4 page


def check_path(path: Path) -> None:
    """Check that a figure can be written to the file at this path.

    Raises
    ------
    ValueError
        If the file extension is not one of `ENDINGS`, the path is a folder, or its parent folder does not exist.
    """
    if path.suffix.lower() not in ENDINGS:
        raise ValueError(f"{path.name!r} must end in one of {', '.join(ENDINGS)}")
    if path.is_dir():
        raise ValueError(f"{path} is a folder")
    if not path.parent.is_dir():
        raise ValueError(f"folder {path.parent} does not exist")


def replay_figure(table: pd.DataFrame, rankers: Sequence[str], replay: Replay) -> alt.HConcatChart:
    """Draw the chart of a replay.

    `table` is a non-empty result of `keep_comparable`. `rankers` determines the order of the legend.
    """
    medians = table.groupby("ranker")["relative_last_position"].median().loc[list(rankers)]
    panels = replay_panels(last_by_issue(table), reading_curves(table), medians)
    n_report_issues = len(table) // len(rankers)
    sizes = (
        f"{count_text(table['issue'].nunique(), 'issue')}, {count_text(table['report'].nunique(), 'report')}, "
        f"{count_text(n_report_issues, 'report issue')}; trained every {count_text(replay.retrain_every, 'issue')}"
    )
    title = alt.Title(
        f"Reading effort, {replay.first_issue} to {replay.last_issue}",
        subtitle=sizes,
        anchor="start",
        fontSize=16,
        subtitleFontSize=13,
        offset=14,
    )
    return panels.properties(title=title)


def save(chart: alt.HConcatChart, path: Path) -> None:
    """Write a chart atomically, in the format given by the file extension. An existing file is replaced.

    An HTML file is self-contained.

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
        # The temporary folder is on the same disk, because replace() is atomic only within a file system.
        with TemporaryDirectory(prefix=".presort-", dir=path.parent) as folder:
            unfinished = Path(folder) / f"figure{ending}"
            chart.save(unfinished, **options.get(ending, {}))
            unfinished.replace(path)
    except OSError as error:
        raise DataError(f"{path} can't be written: {error.strerror}.") from error
