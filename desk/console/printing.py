"""What the command line shows: progress bars, tables, and what an import did."""

import json
import math
import sys
from collections import Counter
from collections.abc import Collection, Iterable, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar
from rich.table import Table

from data.errors import BrokenRankerError
from data.records import Replay
from desk.scores.registry import problems
from desk.scores.replays import replay_named
from desk.service.workflow import Progress
from desk.text import counted

out = Console(markup=False, highlight=False, emoji=False)
err = Console(stderr=True, markup=False, highlight=False, emoji=False)
LARGE = 10_000  # from which decimals say nothing

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

AGAINST_FIRST = ("earlier", "same", "later")
SIDE_BY_SIDE = {
    "ranker": "ranker",
    "mean_relative_last_position": "last",
    "median_relative_last_position": "median",
    "mean_copnori_gap": "1 −\nCopnori",  # noqa: RUF001
    "mean_average_precision": "AP",
    "mean_aselt": "Aselt",
    "mean_nosel": "Nosel",
} | {name: name for name in AGAINST_FIRST}


def say_made(steps: Sequence[Progress], *, as_json: bool = False) -> None:
    """Print how many rankings were made, and what a person should know of them."""
    summary = made(steps)
    if as_json:
        print(json.dumps(summary))
        return
    out.print(f"{counted(summary['rankings'], 'ranking')} made." if steps else "Everything was ranked already.")
    for note, n_steps in summary["notes"].items():
        out.print(f"{counted(n_steps, 'time')}: {note}")


def made(steps: Sequence[Progress]) -> dict[str, Any]:
    """Return how many rankings were made, and how often there was something to know of them."""
    notes = Counter(step.note for step in steps if step.note)
    return {"rankings": steps[-1].done if steps else 0, "notes": dict(notes)}


def show_summary(summarised: pd.DataFrame, *, n_left_out: int, replays: Iterable[Replay]) -> None:
    """Print a table of means, how to read it, and the replays there are."""
    shown = summarised.drop(columns="all_relevant")
    out.print(table_of(shown.assign(nothing_relevant=summarised["nothing_relevant"] + summarised["all_relevant"])))
    out.print(
        "last, median: mean and median relative last position, lower is better; the others are means, higher is "
        "better. none: issues without an order to judge, as nothing is relevant (left out) or everything is (left out "
        "of Aselt, Nosel, Copnori). as is: too few decisions, list order kept."
    )
    if n_left_out:
        out.print(f"Left out, as not every ranker has ranked their issue: {counted(n_left_out, 'ranking')}.")
    for replay in replays:
        out.print(replay_named(replay))


def show_side_by_side(table: pd.DataFrame, *, n_left_out: int) -> None:
    """Print a table as `side_by_side` makes it, how to read it, and how many report issues it leaves out."""
    texts = {"mean_copnori_gap": table["mean_copnori_gap"].map(_small)}
    texts |= {name: table[name].map(_percent) for name in AGAINST_FIRST}
    heads = list(SIDE_BY_SIDE.values())
    out.print(table_of(table.assign(**texts)[list(SIDE_BY_SIDE)], heads=heads, figures=texts))
    first = table["ranker"].iloc[0]
    out.print(
        "last, median: mean and median relative last position; lower is better, as of 1 − Copnori. AP, Aselt, Nosel: "  # noqa: RUF001
        "means; higher is better."
    )
    if len(table) > 1:
        out.print(
            f"earlier, same, later: where the last relevant paper stood, held against {first}, in percent of the "
            "report issues; if level, the one before it, and so on."
        )
    for ranker, n_untrained in zip(table["ranker"], table["list_order"], strict=True):
        if n_untrained:
            out.print(f"{ranker}: {counted(n_untrained, 'report issue')} in list order, too few decisions.")
    if n_all := table["all_relevant"].iloc[0]:
        out.print(f"Everything relevant, so not in 1 − Copnori, Aselt, Nosel: {counted(n_all, 'report issue')}.")  # noqa: RUF001
    if n_left_out:
        left = counted(n_left_out, "report issue")
        out.print(f"Left out, as nothing was relevant or not every ranker has ranked them: {left}.")


def say_measure_problems() -> None:
    """Print, on stderr, a line for each measure of a package that could not be loaded, or has no value somewhere."""
    for problem in problems():
        print(f"presort: {problem}", file=sys.stderr)


def follow(title: str, work: Iterable[Progress], *, broken: list[BrokenRankerError] | None = None) -> list[Progress]:
    """Draw ranker and report done last, how many are done and left, and the time to go; return all steps.

    Where `broken` is given, it gets what a ranker failed in, so that what others did can be told first.
    """
    columns = (
        TextColumn("{task.description}", markup=False),
        BarColumn(),
        MofNCompleteColumn(),
        TextColumn("{task.fields[left]} left"),
        TimeElapsedColumn(),
        TimeRemainingColumn(),
    )
    steps = []
    with Bar(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None, left="?")
        try:
            for step in work:
                steps.append(step)
                what = f"{title}: {step.ranker}, {step.report}"
                bar.update(task, completed=step.done, total=step.total, description=what, left=step.total - step.done)
        except BrokenRankerError as error:
            if broken is None:
                raise
            broken.append(error)
    return steps


def follow_count(title: str, work: Iterable[tuple[int, int]]) -> int:
    """Draw how many are done and the time to go, of work that says how many are done and how many there are."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    done = 0
    with Bar(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        for done, total in work:
            bar.update(task, completed=done, total=total)
    return done


def imported(path: Path, counts: dict[str, int]) -> str:
    """Print what an import changed."""
    apart = ("listings", "selections_left", "matched")
    changes = {name: n for name, n in counts.items() if n and name not in apart}
    named = ", ".join(counted(n, name.replace("_", " ").removesuffix("s")) for name, n in changes.items())
    note = ""
    if copies := counts["matched"]:
        note += f" Known under another id, so not listed again: {counted(copies, 'paper')}."
    if left := counts["selections_left"]:
        note += f" Left to editors who decide at the desk: {counted(left, 'selection')}."
    papers = counted(counts["listings"], "paper")
    nothing = "everything was known, nothing changed" if counts["listings"] else "nothing changed"
    return f"{path.name}: {papers} read; {named or nothing}.{note}"


def table_of(
    df: pd.DataFrame, *, heads: Sequence[str] | None = None, decimals: int = 3, figures: Collection[str] = ()
) -> Table:
    """Make a table that a terminal of 80 columns holds; its heads are the columns' names, made short unless given.

    Numbers stand on the right, and so do `figures`, columns of numbers that are text already.
    """
    table = Table(box=None, pad_edge=False)
    shown = heads or [SHORT.get(str(name), str(name).replace("_", " ")) for name in df.columns]
    for head, (name, dtype) in zip(shown, df.dtypes.items(), strict=True):
        is_right = name in figures or pd.api.types.is_numeric_dtype(dtype)
        table.add_column(head, justify="right" if is_right else "left", no_wrap=True)
    for row in df.itertuples(index=False):
        table.add_row(*(_figure(cell, decimals) if isinstance(cell, float) else str(cell) for cell in row))
    return table


def _small(value: float) -> str:
    if math.isnan(value):
        return "-"
    text = f"{value:.4f}"
    return f"{value:.1e}" if value and text == "0.0000" else text


def _percent(share: float) -> str:
    return "-" if math.isnan(share) else f"{100 * share:.1f}"


def _figure(value: float, decimals: int) -> str:
    return f"{value:,.0f}" if abs(value) >= LARGE else f"{value:z.{decimals}f}"
