"""What is made of the outcomes of each report, kept: what came of one report has only that one made anew."""

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import date
from typing import Generic, TypeVar

from data.learning import outcomes
from data.store import Store

Made = TypeVar("Made")


@dataclass
class KeptByReport(Generic[Made]):
    """What was made of each report, and of which state of its outcomes."""

    by_report: dict[str, tuple[outcomes.State, Made]] = field(default_factory=dict)

    def all(self, store: Store, make: Callable[[str], Made]) -> list[Made]:
        """Return what is made of all reports that have outcomes, by report; anew where some came or went since."""
        known, found = self.by_report, dict[str, tuple[outcomes.State, Made]]()
        for report, state in sorted(outcomes.outcomes_states(store, date.max).items()):
            at_hand = known.get(report)
            found[report] = at_hand if at_hand and at_hand[0] == state else (state, make(report))
        self.by_report = found  # at once: others may read it
        return [made for _, made in found.values()]
