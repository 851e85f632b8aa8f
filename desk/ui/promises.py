"""What editors were told of where to stop and what was found there, kept between clicks."""

import pandas as pd

from presort.data.learning.promises import kept_promises, promises_state
from presort.desk.scores import promises
from presort.desk.scores.sorters import rows_of
from presort.desk.ui import cache
from presort.desk.ui.visitor import whole_store


def promises_of(replay: int | None, ranker: str) -> pd.DataFrame:
    """Return the promises of a ranker, or of `SORTED`, that can be held against something, and may be seen."""
    store = cache.store()
    state = cache.state()._replace(reports=None)  # one entry serves all visitors
    return rows_of(store, cache.seen(_kept(state, promises_state(store), replay)), ranker)


@cache.of_state
def _kept(state: cache.State, promised: tuple[int, int], replay: int | None) -> pd.DataFrame:
    return promises.table(kept_promises(whole_store()), replay)
