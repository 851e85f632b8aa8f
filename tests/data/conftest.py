import shutil
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

import presort.data.intake.commit_import
import presort.data.store
from presort.data.store import Store, open_store
from tests.data import workspaces

CASES_ON_SERVER = 2


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what asks for a workspace on both databases, but for what is of files alone."""
    if "kept_in" in metafunc.fixturenames:
        of_file = next(metafunc.definition.iter_markers("of_file"), None)
        metafunc.parametrize("kept_in", ["file"] if of_file else ["file", "postgresql"], indirect=True)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Of a test's cases, which most often differ before the database is asked, run the first two on PostgreSQL."""
    seen: Counter[tuple[Path, str]] = Counter()
    kept, left_out = [], []
    for item in items:
        test = item.path, getattr(item, "originalname", item.name)
        parameters = item.callspec.params if isinstance(item, pytest.Function) and hasattr(item, "callspec") else {}
        may_be_left_out = parameters.get("kept_in") == "postgresql" and not item.get_closest_marker("each_on_both")
        seen[test] += may_be_left_out
        (left_out if may_be_left_out and seen[test] > CASES_ON_SERVER else kept).append(item)
    config.hook.pytest_deselected(items=left_out)
    items[:] = kept


@pytest.fixture
def kept_in(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """What kind of database keeps the workspaces that are opened without an address."""
    if request.param == "file":
        yield request.param
        return
    schemas = request.getfixturevalue("schemas")
    workspaces.schemas.append(schemas)
    for name in ("preparing", "find_database"):
        open_it = getattr(presort.data.store, name)
        monkeypatch.setattr(
            presort.data.store,
            name,
            lambda folder, url, do=open_it, **how: do(folder, url or schemas.of(folder), **how),
        )
    yield request.param
    workspaces.schemas.clear()
    schemas.clear()


@pytest.fixture
def workspace(tmp_path: Path, empty_workspace: Path, kept_in: str) -> Path:
    """The folder of an empty workspace that nobody has open."""
    folder = tmp_path / "workspace"
    if kept_in == "file":
        return shutil.copytree(empty_workspace, folder)
    open_store(folder).close()
    return folder


@pytest.fixture
def store(workspace: Path) -> Iterator[Store]:
    """An empty workspace."""
    store = open_store(workspace)
    yield store
    store.close()


@pytest.fixture
def other_engine(tmp_path: Path) -> Iterator[Engine]:
    """An engine of somebody else in the same process."""
    engine = create_engine(f"sqlite:///{tmp_path / 'other.db'}")
    yield engine
    engine.dispose()


@pytest.fixture
def small_chunks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(presort.data.intake.commit_import, "CHUNK", 3)
