"""Options and arguments that commands share."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from typing import Annotated

import joblib
import typer

from ranker.cluster.connection import on_dask
from ranker.recipe import Recipe
from ranker.versions import RECIPES, find_recipe

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="Code of the report.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to train in.")]
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Scheduler of Dask whose workers do the work: tls://HOST:PORT."),
]
MinPapers = Annotated[int, typer.Option(help="Only reports with so many relevant papers in all issues.")]
Rankers = Annotated[
    list[str] | None, typer.Option("--ranker", metavar="NAME", help=f"One of {', '.join(RECIPES)}; may be repeated.")
]
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


@contextmanager
def working_on(dask: str | None, jobs: int) -> Iterator[int]:
    """Work on the workers of Dask's scheduler, if one is named, and yield how many processes to train in.

    So many are started on this machine, for what stays here; what goes to workers goes to all.
    """
    if dask is None:
        yield jobs
        return
    with on_dask(dask):
        yield max(2, jobs)  # 1 would send nothing away


def recipes_named(names: Iterable[str]) -> list[Recipe]:
    """Return the recipes of these names, each once."""
    try:
        return [find_recipe(name) for name in dict.fromkeys(names)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--ranker") from error
