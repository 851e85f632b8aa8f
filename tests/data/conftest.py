import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings
from sqlalchemy import Engine, create_engine

import presort.data.intake.commit_import
import presort.data.store
from presort.data.store import Store, open_store
from tests.data import workspaces


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run tests that use a workspace on both databases, except tests of files."""
    if "kept_in" in metafunc.fixturenames:
        of_file = next(metafunc.definition.iter_markers("of_file"), None)
        metafunc.parametrize("kept_in", ["file"] if of_file else ["file", "postgresql"], indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Run only the first case of a parametrised test on PostgreSQL.

    Other cases usually differ before the database is used.
    """
    seen: set[tuple[Path, str]] = set()
    kept, left_out = [], []
    for item in items:
        test = item.path, getattr(item, "originalname", item.name)
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        may_be_left_out = parameters.get("kept_in") == "postgresql" and not item.get_closest_marker("each_on_both")
        (left_out if may_be_left_out and test in seen else kept).append(item)
        if may_be_left_out:
            seen.add(test)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def kept_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Kind of database for workspaces that are opened without an address."""
    if request.param == "file":
        yield request.param
        return
    schemas = request.getfixturevalue("schemas")
    workspaces.schemas.append(schemas)
    for name in ("prepare_database", "find_database"):
        open_it = getattr(presort.data.store, name)
        monkeypatch.setattr(
            presort.data.store,
            name,
            lambda folder, url, do=open_it, **how: do(folder, url or schemas.of(folder), **how),
        )
    # the cases cover the logic on SQLite; on PostgreSQL only the SQL dialect differs
    settings.load_profile("on a server")
    yield request.param
    settings.load_profile("every change")
    workspaces.schemas.clear()
    schemas.clear()


@pytest.fixture
def workspace(tmp_path: Path, empty_workspace: Path, kept_in: str) -> Path:
    """Folder of an empty, closed workspace."""
    folder = tmp_path / "workspace"
    if kept_in == "file":
        return shutil.copytree(empty_workspace, folder)
    open_store(folder).close()
    return folder


@pytest.fixture
def store(workspace: Path) -> Iterator[Store]:
    """Store of an empty workspace."""
    store = open_store(workspace)
    yield store
    store.close()


@pytest.fixture
def other_engine(tmp_path: Path) -> Iterator[Engine]:
    """Engine of another user in the same process."""
    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presort.data.intake.commit_import, "CHUNK", 3)
