"""What the command line shows: progress bars, tables, and what an import did."""

from collections import Counter
from collections.abc import Iterable
from pathlib import Path

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from desk.words import counted
from desk.workflow import Progress

out = Console()
err = Console(stderr=True)

SHORT = {  # heads that keep the table within 80 columns
    "report_issues": "issues",
    "nothing_relevant": "none",
    "list_order": "as is",
    "mean_relative_last_position": "last",
    "median_relative_last_position": "median",
    "mean_aselt": "Aselt",
    "mean_nosel": "Nosel",
    "mean_copnori": "Copnori",
    "mean_average_precision": "AP",
}


def run_with_bar(title: str, work: Iterable[Progress]) -> None:
    """Draw a bar while rankings are made, and say what became of them."""
    steps = follow(title, work)
    if not steps:
        out.print("Everything was ranked already.")
        return
    out.print(f"{counted(steps[-1].total, 'ranking')} made.")
    for note, n_steps in Counter(step.note for step in steps if step.note).items():
        out.print(f"{counted(n_steps, 'time')}: {note}")


def follow(title: str, work: Iterable[Progress]) -> list[Progress]:
    """Draw ranker and report done last, how many are done and left, and the time to go; give all steps."""
    columns = (
        TextColumn("{task.description}"),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]} left"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    steps = []
    with Bar(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None, left="?")
        for step in work:
            steps.append(step)
            what = f"{title}: {step.ranker}, {step.report}"
            bar.update(task, completed=step.done, total=step.total, description=what, left=step.total - step.done)
    return steps


def imported(path: Path, counts: dict[str, int]) -> str:
    """Say what an import changed."""
    named = ", ".join(
        counted(n, name.replace("_", " ").removesuffix("s")) for name, n in counts.items() if n and name != "listings"
    )
    return (
        f"{path.name}: {counted(counts['listings'], 'row')} read; {named or 'everything was known, nothing changed'}."
    )


def table_of(df: pd.DataFrame) -> Table:
    """Make a table that a terminal of 80 columns holds."""
    table = Table(box=None, pad_edge=False)
    for name in df.columns:
        is_number = pd.api.types.is_numeric_dtype(df[name])
        head = SHORT.get(str(name), str(name).replace("_", " "))
        table.add_column(head, justify="right" if is_number else "left", no_wrap=True)
    for row in df.itertuples(index=False):
        table.add_row(*(f"{cell:.3f}" if isinstance(cell, float) else str(cell) for cell in row))
    return table
