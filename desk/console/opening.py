"""Open the workspace that a command works on."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import typer

from data.store import Store, find_store, open_store
from desk import settings


@contextmanager
def opened(context: typer.Context) -> Iterator[Store]:
    """Yield the store of the workspace that a command was given, or that the environment names.

    Raises
    ------
    WorkspaceError
        If there is none: it begins with papers that come in, or with the demo, never with a name that is mistyped.
    """
    find_store(context.obj.workspace, settings.database()).close()
    with closing(open_store(context.obj.workspace, settings.database())) as store:
        yield store
