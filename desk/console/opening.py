"""Open the workspace for a command."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import typer

from presort.data.store import Store, open_store
from presort.desk import settings


@contextmanager
def open_workspace(context: typer.Context, *, begins: bool = False) -> Iterator[Store]:
    """Yield the store of a command's workspace.

    All reads see the same snapshot until the command writes or, before a long computation, ends the snapshot itself.

    Parameters
    ----------
    context : typer.Context
        Context whose `obj` has the settings.
    begins : bool
        Create the workspace if it doesn't exist. Only a few commands do this, because a mistyped path would otherwise
        create a new workspace.

    Raises
    ------
    WorkspaceError
        If the workspace doesn't exist and `begins` is false.
    """
    workspace, url = context.obj.workspace, settings.database()
    with closing(open_store(workspace, url, creates=begins)) as store, store.snapshot() as reading:
        yield reading
