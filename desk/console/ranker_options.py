"""Options shared by commands that run rankers."""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from typing import Annotated

import joblib
import typer

from presort.ranker.cluster.connection import use_dask
from presort.ranker.recipe import Recipe
from presort.ranker.versions import RECIPES, find_recipe

Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Number of processes for training.")]
JOBS = joblib.cpu_count()
Dask = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Rank on the workers of this Dask scheduler: tls://HOST:PORT."),
]
Rankers = Annotated[
    list[str] | None, typer.Option("--ranker", metavar="NAME", help=f"One of {', '.join(RECIPES)}. Can be repeated.")
]


@contextmanager
def connect_dask(dask: str | None, jobs: int) -> Iterator[int]:
    """Connect to a Dask scheduler if an address is given. Yield the number of local training processes.

    The scheduler distributes tasks to all of its workers. Tasks that can't be sent to it run in the local processes.
    """
    if dask is None:
        yield jobs
        return
    with use_dask(dask):
        yield max(2, jobs)  # with a single job, no tasks would be sent to the Dask workers


def find_recipes(names: Iterable[str]) -> list[Recipe]:
    """Return the recipes with these names, without duplicates."""
    try:
        return [find_recipe(name) for name in dict.fromkeys(names)]
    except ValueError as error:
        raise typer.BadParameter(str(error), param_hint="--ranker") from error
