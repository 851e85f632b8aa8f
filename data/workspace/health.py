"""What is wrong with the database of a workspace, of whichever kind."""

from contextlib import closing
from pathlib import Path

from presort.data.workspace import damage
from presort.data.workspace.damage import Health
from presort.data.workspace.folder import FILE_NAME
from presort.data.workspace.opening import demand_here, find_database
from presort.data.workspace.postgresql_check import examine_server


def examine(folder: Path, url: str = "") -> Health:
    """Read the whole database of a workspace, which may be in use, and tell what is wrong with it.

    Raises
    ------
    RefusedError
        If it is kept elsewhere.
    WorkspaceError
        If there is none, or it can't be read for another reason than damage.
    """
    if not url:
        demand_here(folder)
        return damage.examine(folder / FILE_NAME)
    with closing(find_database(folder, url)) as database:
        return examine_server(database)
