"""Nouns for systems and topics on the *Systems and topics* page, such as "ranker" and "report"."""

from collections.abc import Sequence
from dataclasses import dataclass

from presort.desk.text import count_text


@dataclass(frozen=True)
class Nouns:
    """Singular and plural nouns for systems and topics."""

    system: str
    topic: str

    @property
    def systems(self) -> str:
        """Plural of `system`."""
        return f"{self.system}s"

    @property
    def topics(self) -> str:
        """Plural of `topic`."""
        return f"{self.topic}s"

    def singular(self, side: str) -> str:
        """Return the singular noun for "systems" or "topics"."""
        return self.system if side == "systems" else self.topic

    def n_systems(self, n: int) -> str:
        """Format a number of systems together with the noun."""
        return count_text(n, self.system)

    def n_topics(self, n: int) -> str:
        """Format a number of topics together with the noun."""
        return count_text(n, self.topic)


OF_REPORTS = Nouns("ranker", "report")
OF_ISSUES = Nouns("ranker", "report issue")
OF_FILE = Nouns("system", "topic")


def sizes(nouns: Nouns, n_systems: int, n_topics: int, left_out: Sequence[str] = ()) -> str:
    """Format the numbers of systems and topics, and list the topics left out because of missing scores.

    Examples
    --------
    >>> sizes(OF_FILE, 129, 48, ["401", "402"])
    '129 systems · 48 topics · 2 left out because of missing scores: 401, 402'
    """
    more = f" · {len(left_out):,} left out because of missing scores: {abbreviate_names(left_out)}" if left_out else ""
    return f"{nouns.n_systems(n_systems)} · {nouns.n_topics(n_topics)}{more}"


def abbreviate_names(names: Sequence[str], most: int = 6) -> str:
    """List up to `most` names, followed by the number of remaining names.

    Examples
    --------
    >>> abbreviate_names(["a", "b", "c"], most=2)
    'a, b and 1 more'
    """
    rest = f" and {len(names) - most:,} more" if len(names) > most else ""
    return ", ".join(names[:most]) + rest
