"""The one list of measures: pages, tables, commands and documents loop over it.

To add a measure, write ``name`` and ``name_each`` in the module of its family, and an entry in one of the lists here.
"""

from presort.metrics.measure import Measure
from presort.metrics.registry.first_papers import FIRST_PAPERS
from presort.metrics.registry.natural_order import NATURAL_ORDER
from presort.metrics.registry.scored import SCORED

MEASURES: dict[str, Measure] = {measure.name: measure for measure in [*NATURAL_ORDER, *FIRST_PAPERS, *SCORED]}
