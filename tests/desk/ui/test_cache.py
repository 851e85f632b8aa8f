"""What pages keep between clicks."""

import pytest

from presort.desk import settings
from presort.desk.scores import table
from presort.desk.ui import cache
from presort.desk.ui.cache import make_anew  # the true one: `cache` has none for tests


def test_scores_made_beside_the_pages_are_those_that_pages_find(finished, no_cache, monkeypatch):
    monkeypatch.setenv(settings.WORKSPACE, str(finished.folder))
    expected = table.scores(finished)
    make_anew().join()
    monkeypatch.setattr(table, "scores_and_not_judged", lambda *_, **__: pytest.fail("made again"))
    assert cache.all_scores(None)["outcome"].to_list() == expected["outcome"].to_list()
    assert cache.not_judged(None).empty
