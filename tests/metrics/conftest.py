import pandas as pd
import pytest

from tests.metrics.score_tables import TREC8


@pytest.fixture(scope="module")
def trec8():
    if not TREC8.exists():
        pytest.skip("the reference scores of TREC-8 are not here")
    return pd.read_csv(TREC8, index_col="topic")
