"""The one list of measures: pages, tables, commands and documents loop over it.

To add a measure, write ``name`` and ``name_each`` in the module of its family, and an entry in one of the lists here.
"""

from metrics.measure import Measure
from metrics.registry.first_papers import FIRST_PAPERS
from metrics.registry.natural_order import NATURAL_ORDER
from metrics.registry.scored import SCORED

MEASURES: dict[str, Measure] = {measure.name: measure for measure in [*NATURAL_ORDER, *FIRST_PAPERS, *SCORED]}
