"""Open the workspace that a command works on."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import typer

from data.store import Store, open_store
from data.workspace.folder import demand_database


@contextmanager
def opened(context: typer.Context) -> Iterator[Store]:
    """Yield the store of the workspace that a command was given, or that the environment names.

    Raises
    ------
    WorkspaceError
        If there is none: it begins with papers that come in, or with the demo, never with a name that is mistyped.
    """
    demand_database(context.obj.workspace)
    with closing(open_store(context.obj.workspace)) as store:
        yield store
