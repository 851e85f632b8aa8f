from collections.abc import Iterator
from pathlib import Path

import pytest
from sqlalchemy import Engine, create_engine

import data.publish
from data.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty workspace."""
    store = open_store(tmp_path / "workspace")
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
    monkeypatch.setattr(data.publish, "CHUNK", 3)
