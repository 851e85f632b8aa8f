"""Options and arguments that commands share."""

from collections.abc import Sequence
from typing import Annotated

import joblib
import typer

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="Code of the report.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to train in.")]
MinPapers = Annotated[int, typer.Option(help="Only reports with so many relevant papers in all issues.")]
Reports = Annotated[
    list[str] | None, typer.Option("--report", metavar="CODE", help="Only this report; may be repeated.")
]
WORKSPACE = ("--workspace", "-w")
DAY = ["%Y-%m-%d"]
JOBS = joblib.cpu_count()


def workspace_first(words: Sequence[str]) -> list[str]:
    """Put the workspace that a command is given before the command's name, where it is read.

    Examples
    --------
    >>> workspace_first(["rank", "-w", "here", "--pending"]), workspace_first(["demo", "--workspace=there"])
    (['-w', 'here', 'rank', '--pending'], ['--workspace=there', 'demo'])
    >>> workspace_first(["import", "--", "-w", "week.csv"]), workspace_first(["demo", "-w"])
    (['import', '--', '-w', 'week.csv'], ['demo', '-w'])
    """
    first, others, left = list[str](), list[str](), list(words)
    while left:
        word = left.pop(0)
        if word == "--":
            return [*first, *others, word, *left]
        if word in WORKSPACE and left:
            first += [word, left.pop(0)]
        else:
            (first if word.startswith(f"{WORKSPACE[0]}=") else others).append(word)
    return first + others
