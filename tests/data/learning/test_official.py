"""Which of several rankings of a report issue is official."""

import numpy as np
import pytest

from presort.data.learning.official import official_rows
from presort.data.records import Condition


@pytest.mark.parametrize(
    ("conditions", "expected"),
    [
        pytest.param([Condition.LIVE, Condition.REPLAY], 0, id="for-the-editor-before-a-replay"),
        pytest.param([Condition.LIVE, Condition.LIVE], 1, id="the-newest-before-the-publication"),
        pytest.param([Condition.REPLAY, Condition.REPLAY], 1, id="the-newest-replay"),
        pytest.param([Condition.LATE, Condition.LATE], 0, id="the-oldest-after-the-publication"),
        pytest.param([Condition.REPLAY, Condition.LATE], 0, id="a-replay-before-a-late-ranking"),
        pytest.param([Condition.SHOWN, Condition.LIVE], 0, id="the-list-of-the-editor"),
    ],
)
def test_the_official_ranking_of_two(conditions, expected):
    numbers, issue = np.array([4, 9]), np.array([1, 1])
    assert official_rows([issue], np.array(conditions), numbers).tolist() == [expected]
    assert official_rows([issue], np.array(conditions[::-1]), numbers[::-1]).tolist() == [1 - expected]
