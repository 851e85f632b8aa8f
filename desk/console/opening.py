"""Open the workspace that a command works on."""

from collections.abc import Iterator
from contextlib import closing, contextmanager

import typer

from presort.data.store import Store, open_store
from presort.desk import settings


@contextmanager
def opened(context: typer.Context, *, begins: bool = False) -> Iterator[Store]:
    """Yield the store of the workspace that a command was given, or that the environment names.

    Parameters
    ----------
    begins : bool
        Whether a workspace may begin with this command.

    Raises
    ------
    WorkspaceError
        If there is none: few commands begin one, so that a mistyped name does not.
    """
    with closing(open_store(context.obj.workspace, settings.database(), creates=begins)) as store:
        yield store
