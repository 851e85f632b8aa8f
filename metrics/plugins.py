"""Plugins: measures of installed packages, found by their entry points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from presort.metrics.arguments import shown
from presort.metrics.measure import Measure
from presort.metrics.registry import MEASURES

GROUP = "presort.measures"
LONGEST = 300  # characters of an error message


@dataclass(frozen=True)
class InstalledMeasures:
    """Measures of installed packages, and the problems of those that failed to load.

    Attributes
    ----------
    measures : dict of str to Measure
        By name, sorted by package and entry point.
    problems : tuple of str
        One line per entry point that failed to load: its name and the reason.
    """

    measures: dict[str, Measure]
    problems: tuple[str, ...]


@cache
def installed_measures() -> InstalledMeasures:
    """Load the measures of installed packages, once per process.

    Returns
    -------
    InstalledMeasures
        An entry point of the group ``presort.measures`` names a `Measure`. One that can't be imported, is none, or has
        the name or label of another is left out; the others come all the same.

    Examples
    --------
    >>> from presort.metrics import MEASURES
    >>> found = installed_measures()
    >>> found.measures.keys() & MEASURES.keys()
    set()
    """
    return load_measures(entry_points(group=GROUP))


def load_measures(found: Iterable[EntryPoint]) -> InstalledMeasures:
    """Load the measures of some entry points, as `installed_measures` does."""
    measures: dict[str, Measure] = {}
    problems: list[str] = []
    for entry in sorted(found, key=lambda entry: (_package(entry), entry.name)):
        try:
            measure = _loaded(entry)
            _check_is_new(measure, MEASURES | measures)
        except Exception as error:  # noqa: BLE001 - code of others, in which anything may go wrong
            problems.append(f"Measure {entry.name} of {_package(entry)} is left out: {in_a_line(error)}")
        else:
            measures[measure.name] = measure
    return InstalledMeasures(measures, tuple(problems))


def in_a_line(error: Exception) -> str:
    r"""Format an error in one line: its type, unless it is a plain ValueError, and its message.

    Examples
    --------
    >>> in_a_line(ValueError("no")), in_a_line(KeyError("x")), in_a_line(ImportError("a\nb"))
    ('no', "KeyError: 'x'", 'ImportError: a b')
    """
    reason = " ".join(str(error).split())
    reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]} …"
    return (
        reason if isinstance(error, ValueError) and reason else f"{type(error).__name__}: {reason}".removesuffix(": ")
    )


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module


def _loaded(entry: EntryPoint) -> Measure:
    measure = entry.load()
    if not isinstance(measure, Measure):
        raise ValueError(f"{entry.value} must be a Measure, got {shown(measure)}")
    return measure


def _check_is_new(measure: Measure, known: dict[str, Measure]) -> None:
    if measure.name in known:
        raise ValueError(f"there is a measure {measure.name} already")
    if measure.label in {other.label for other in known.values()}:
        raise ValueError(f"there is a measure called {measure.label!r} already")
