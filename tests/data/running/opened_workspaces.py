"""Open a workspace in a file or on a server for a moment, and read all its rows."""

from contextlib import closing, contextmanager

from presort.data.store import open_store
from tests.data.workspaces import contents


@contextmanager
def opened(folder, url=""):
    with closing(open_store(folder, url)) as store:
        yield store


def rows(folder, url=""):
    with opened(folder, url) as store:
        return contents(store)
