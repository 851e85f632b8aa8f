"""Stand-ins for pandas and SciPy that import the package when one of its names is first used.

Importing both takes longer than `presort score` needs to read and score a run of 100,000 papers. The modules of this
package therefore use ``from presort.metrics.lazy import pd, scipy``.
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

__all__ = ["pd", "scipy"]

if TYPE_CHECKING:
    import pandas as pd
    import scipy
else:

    class _Lazy:
        """Package that is imported when one of its attributes is first used."""

        def __init__(self, package: str):
            self._package = package

        def __getattr__(self, name: str) -> Any:
            return getattr(import_module(self._package), name)

    pd = _Lazy("pandas")
    scipy = _Lazy("scipy")
