"""Progress bars for long commands, and the summary that is printed after ranking."""

import json
from collections import Counter
from collections.abc import Iterable, Sequence
from typing import Any

from rich.progress import BarColumn, MofNCompleteColumn, TextColumn, TimeElapsedColumn, TimeRemainingColumn
from rich.progress import Progress as Bar

from presort.data.errors import BrokenRankerError
from presort.desk.console.printing import err, out
from presort.desk.service.ranking_run import Progress
from presort.desk.text import count_text


def follow(title: str, work: Iterable[Progress], *, broken: list[BrokenRankerError] | None = None) -> list[Progress]:
    """Draw a progress bar with the current ranker and report, the counts and the remaining time. Return all steps.

    If `broken` is given, a ranker's error is appended to it instead of being raised. The caller can then print the
    results of the other rankers before it raises the error.
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
    """Draw a progress bar for work that yields pairs (done, total). Return the last value of `done`."""
    columns = (TextColumn("{task.description}", markup=False), BarColumn(), MofNCompleteColumn(), TimeRemainingColumn())
    done = 0
    with Bar(*columns, console=err, transient=True, disable=not err.is_terminal) as bar:
        task = bar.add_task(title, total=None)
        for done, total in work:
            bar.update(task, completed=done, total=total)
    return done


def print_summary(steps: Sequence[Progress], *, as_json: bool = False) -> None:
    """Print the number of new rankings and the notes about them."""
    summary = summarise_steps(steps)
    if as_json:
        print(json.dumps(summary))
        return
    out.print(f"{count_text(summary['rankings'], 'ranking')} stored." if steps else "All rankings are up to date.")
    for note, n_steps in summary["notes"].items():
        out.print(f"{count_text(n_steps, 'time')}: {note}")


def summarise_steps(steps: Sequence[Progress]) -> dict[str, Any]:
    """Return the number of new rankings, and the number of times that each note occurs."""
    notes = Counter(step.note for step in steps if step.note)
    return {"rankings": steps[-1].done if steps else 0, "notes": dict(notes)}
