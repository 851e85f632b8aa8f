import pytest

from presort.ranker.stacked import method


@pytest.fixture
def models_are_kept(monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
