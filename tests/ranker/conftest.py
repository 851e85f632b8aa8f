import pytest

from presort.ranker.presort_1 import method


@pytest.fixture
def models_are_kept(monkeypatch):
    monkeypatch.setattr(method, "FEW_PAPERS", 0)
