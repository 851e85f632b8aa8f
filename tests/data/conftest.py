import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

import data.intake.commit_import
from data.store import Store, open_store


@pytest.fixture
def workspace(tmp_path: Path, empty_workspace: Path) -> Path:
    """The folder of an empty workspace that nobody has open."""
    return shutil.copytree(empty_workspace, tmp_path / "workspace")


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
    monkeypatch.setattr(data.intake.commit_import, "CHUNK", 3)
