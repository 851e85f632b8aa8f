"""Names of the systems and topics on the page Systems and topics."""

from collections.abc import Sequence
from dataclasses import dataclass

from presort.desk.text import counted


@dataclass(frozen=True)
class Nouns:
    """Names of systems and topics in the singular and plural."""

    system: str
    topic: str

    @property
    def systems(self) -> str:
        """Name several systems."""
        return f"{self.system}s"

    @property
    def topics(self) -> str:
        """Name several topics."""
        return f"{self.topic}s"

    def of(self, side: str) -> str:
        """Name one of the `systems`, or of the `topics`."""
        return self.system if side == "systems" else self.topic

    def n_systems(self, n: int) -> str:
        """Count systems."""
        return counted(n, self.system)

    def n_topics(self, n: int) -> str:
        """Count topics."""
        return counted(n, self.topic)


OF_REPORTS = Nouns("ranker", "report")
OF_ISSUES = Nouns("ranker", "report issue")
OF_FILE = Nouns("system", "topic")


def sizes(nouns: Nouns, n_systems: int, n_topics: int, left_out: Sequence[str] = ()) -> str:
    """State how many there are, and which topics are left out because a score is missing.

    Examples
    --------
    >>> sizes(OF_FILE, 129, 48, ["401", "402"])
    '129 systems · 48 topics · 2 left out without a score: 401, 402'
    """
    more = f" · {len(left_out):,} left out without a score: {some(left_out)}" if left_out else ""
    return f"{nouns.n_systems(n_systems)} · {nouns.n_topics(n_topics)}{more}"


def some(names: Sequence[str], most: int = 6) -> str:
    """Name the first of many.

    Examples
    --------
    >>> some(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
