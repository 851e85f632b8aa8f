"""Workspaces that are created once per session. Each test gets its own copy."""

import shutil
import signal
import sys
from collections.abc import Generator, Iterator
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings
from sqlalchemy import Compiled, Connection, Engine, event
from threadpoolctl import threadpool_limits

from presort.data.store import Store, open_store
from tests.postgresql_server import Connections, Schemas, serving

settings.register_profile("every change", max_examples=25, derandomize=True, deadline=None, database=None)
settings.register_profile("on a server", settings.get_profile("every change"), max_examples=12)
settings.load_profile("every change")

OF_THE_WHOLE = {"open_page", "open_plain", "schemas"}  # fixtures that run a page or a server


@pytest.hookimpl(wrapper=True)
def pytest_collect_file() -> Generator[None, list[pytest.Collector], list[pytest.Collector]]:
    """Skip doctests in `tests`, which has none. Collecting them would import helpers in each of three workers."""
    return [collector for collector in (yield) if type(collector) is pytest.Module]


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Mark the tests that only `make test` runs, by their fixtures and names. Other tests have explicit marks."""
    for item in items:
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        runs_command = item.path.name.startswith("test_") and item.path.name.endswith("commands.py")
        runs_page_or_server = OF_THE_WHOLE & set(getattr(item, "fixturenames", ()))
        is_on_server = "postgresql" in (parameters.get("kept_in"), parameters.get("full"))
        if runs_command or runs_page_or_server or is_on_server:
            item.add_marker(pytest.mark.whole)


class Statements(dict[tuple[Any, ...], Compiled]):
    """Cache of compiled SQL statements, shared by all engines. The key begins with the dialect."""

    def get(self, key: tuple[Any, ...], default: Any = None) -> Any:
        return super().get((type(key[0]), *key[1:]), default)

    def __setitem__(self, key: tuple[Any, ...], compiled: Compiled) -> None:
        super().__setitem__((type(key[0]), *key[1:]), compiled)


@pytest.fixture(scope="session", autouse=True)
def statements() -> Iterator[None]:
    """Compile each SQL statement once per session, not once per test. This saves a tenth of the time."""
    made = Statements()

    def use(connection: Connection) -> None:
        connection.execution_options(compiled_cache=made)

    event.listen(Engine, "engine_connect", use)
    yield
    event.remove(Engine, "engine_connect", use)


@pytest.fixture(scope="session")
def empty_workspace(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Workspace with empty tables."""
    folder = tmp_path_factory.mktemp("empty") / "workspace"
    open_store(folder).close()
    return folder


@pytest.fixture
def empty_store(tmp_path: Path, empty_workspace: Path) -> Iterator[Store]:
    """Store of an empty workspace."""
    store = open_store(shutil.copytree(empty_workspace, tmp_path / "empty"))
    yield store
    store.close()


@pytest.fixture(scope="session")
def schemas() -> Iterator[Schemas]:
    """Schemas of a PostgreSQL server, one per workspace of a test."""
    with serving() as server, Connections(server.folder).kept():
        made = Schemas(server.url)
        yield made
        made.close()


@pytest.fixture(autouse=True)
def main_module(monkeypatch: pytest.MonkeyPatch) -> None:
    """Restore the main module, which Streamlit replaces by the page. Servers started later would run that page."""
    monkeypatch.setitem(sys.modules, "__main__", sys.modules["__main__"])


@pytest.fixture(scope="session", autouse=True)
def ctrl_c() -> None:
    """Enable Ctrl-C for programs started by tests.

    A test run in the background ignores it, and child processes inherit that.
    """
    if signal.getsignal(signal.SIGINT) == signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.fixture(scope="session", autouse=True)
def one_thread() -> Iterator[None]:
    """Limit linear algebra to one thread, like the desk. With small tables, more threads mostly wait."""
    with threadpool_limits(1):
        yield
