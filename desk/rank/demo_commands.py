"""The command `presort demo`."""

import contextlib
import shlex
from typing import Annotated

import typer

from presort.data.store import open_store
from presort.desk import settings
from presort.desk.console.printing import out
from presort.desk.console.progress import follow
from presort.desk.console.ranker_options import JOBS, Jobs
from presort.desk.service.demo import build_demo


def demo(
    context: typer.Context,
    seed: Annotated[int, typer.Option(help="Random seed of the synthetic data.")] = 1,
    jobs: Jobs = JOBS,
) -> None:
    """Build a demo service with synthetic data: 12 economics reports and 35 issues. Works offline."""
    with contextlib.closing(open_store(context.obj.workspace, settings.database())) as store:
        follow("Building the demo", build_demo(store, seed=seed, n_jobs=jobs))
        folder = shlex.quote(str(store.folder))
        out.print(f"The demo is ready. Open it with: presort app --workspace {folder}", soft_wrap=True)
