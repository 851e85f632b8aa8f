"""Stand-in for pandas that imports pandas when one of its names is first used.

``import pandas`` takes longer than `presort score` needs to read and score a run of 100,000 papers without tables.
Modules of this package use ``from presort.metrics import lazy_pandas as pd``.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pandas import *  # noqa: F403
else:

    def __getattr__(name: str) -> Any:
        import pandas as pd

        return getattr(pd, name)
