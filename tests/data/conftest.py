from collections.abc import Iterator
from pathlib import Path

import pytest

from data.store import Store, open_store


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """An empty workspace."""
    store = open_store(tmp_path / "workspace")
    yield store
    store.close()
