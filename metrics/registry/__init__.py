"""Registry of all measures. Pages, tables, commands and guides loop over it.

To add a measure, write the functions ``name`` and ``name_each`` in the module of its family, then add an entry to one
of the lists in this package.
"""

from presort.metrics.measure import Measure
from presort.metrics.registry.first_papers import FIRST_PAPERS
from presort.metrics.registry.natural_order import NATURAL_ORDER
from presort.metrics.registry.scored import SCORED

MEASURES: dict[str, Measure] = {measure.name: measure for measure in [*NATURAL_ORDER, *FIRST_PAPERS, *SCORED]}
