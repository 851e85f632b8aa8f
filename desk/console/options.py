"""Options that commands share, and the workspace that they open."""

from collections.abc import Iterator
from contextlib import closing, contextmanager
from typing import Annotated

import joblib
import typer

from presort.data.store import Store, open_store
from presort.desk import settings

AsJson = Annotated[bool, typer.Option("--json", help="Print JSON for a script.")]
Code = Annotated[str, typer.Argument(metavar="CODE", help="Code of the report.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", help="Don't ask.")]
Jobs = Annotated[int, typer.Option("--jobs", "-j", min=1, help="Processes to train in.")]
MinPapers = Annotated[int, typer.Option(help="Only reports with at least so many relevant papers in all issues.")]
Reports = Annotated[
    list[str] | None, typer.Option("--report", metavar="CODE", help="Only this report; may be repeated.")
]
DAY = ["%Y-%m-%d"]
JOBS = joblib.cpu_count()


@contextmanager
def opened(context: typer.Context, *, begins: bool = False) -> Iterator[Store]:
    """Yield the store of the workspace that a command was given, or that the environment names.

    All reads share a snapshot until the command changes something, or ends the snapshot before long work.

    Parameters
    ----------
    begins : bool
        This command may create a workspace.

    Raises
    ------
    WorkspaceError
        If there is none: few commands begin one, so that a mistyped name does not.
    """
    workspace, url = context.obj.workspace, settings.database()
    with closing(open_store(workspace, url, creates=begins)) as store, store.snapshot() as reading:
        yield reading
