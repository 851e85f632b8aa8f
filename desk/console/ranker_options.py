"""Shared options of commands that run rankers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

import joblib
import typer

from presort.ranker.cluster.connection import on_dask
from presort.ranker.recipe import Recipe
from presort.ranker.versions import RECIPES, find_recipe

Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to train in.")]
JOBS = joblib.cpu_count()
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Address of a Dask scheduler whose workers rank: tls://HOST:PORT."),
]
Rankers = Annotated[
    list[str] | None, typer.Option("--ranker", metavar="NAME", help=f"One of {', '.join(RECIPES)}; may be repeated.")
]


@contextmanager
def working_on(dask: str | None, jobs: int) -> Iterator[int]:
    """Use the workers of a Dask scheduler if one is named. Yield the number of processes to train in.

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
