"""The workspace that a command opens."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import typer

from presort.data.store import Store, open_store
from presort.desk import settings


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
