"""Load measures that installed packages provide as entry points."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from importlib.metadata import EntryPoint, entry_points

from presort.metrics.arguments import short_repr
from presort.metrics.measure import Measure
from presort.metrics.registry import MEASURES

GROUP = "presort.measures"
LONGEST = 300  # maximum length of an error message, in characters


@dataclass(frozen=True)
class InstalledMeasures:
    """Measures provided by installed packages, and a list of those that failed to load.

    Attributes
    ----------
    measures : dict of str to Measure
        Measures by name, sorted by package and entry point.
    problems : tuple of str
        Entry points that failed to load, with the reason; one line each.
    """

    measures: dict[str, Measure]
    problems: tuple[str, ...]


@cache
def installed_measures() -> InstalledMeasures:
    """Load the measures that installed packages provide. They are loaded once per process.

    Returns
    -------
    InstalledMeasures
        Measures of the entry point group ``presort.measures``. An entry point is skipped and reported as a problem if
        the import fails, if the object is not a `Measure`, or if its name or label is already in use.

    Examples
    --------
    >>> from presort.metrics import MEASURES
    >>> found = installed_measures()
    >>> found.measures.keys() & MEASURES.keys()
    set()
    """
    return load_measures(entry_points(group=GROUP))


def load_measures(found: Iterable[EntryPoint]) -> InstalledMeasures:
    """Load the measures from the given entry points. See `installed_measures`."""
    measures: dict[str, Measure] = {}
    problems: list[str] = []
    for entry in sorted(found, key=lambda entry: (_package(entry), entry.name)):
        try:
            measure = _load_measure(entry)
            _check_is_new(measure, MEASURES | measures)
        except Exception as error:  # noqa: BLE001 - third-party code may raise anything
            problems.append(f"Measure {entry.name} of {_package(entry)} was skipped: {format_in_one_line(error)}")
        else:
            measures[measure.name] = measure
    return InstalledMeasures(measures, tuple(problems))


def hint_at_installed_measure(name: str) -> str:
    """Return a hint to append to the error message about an unknown measure.

    If an installed package provides the measure, the hint explains how to use it. Otherwise, the hint is empty.
    """
    if name not in installed_measures().measures:
        return ""
    return f"; an installed package provides this measure: pass installed_measures().measures[{name!r}]"


def format_in_one_line(error: Exception) -> str:
    r"""Format an exception as one line: type and message, or only the message of a ValueError.

    Examples
    --------
    >>> format_in_one_line(ValueError("no")), format_in_one_line(KeyError("x")), format_in_one_line(ImportError("a\nb"))
    ('no', "KeyError: 'x'", 'ImportError: a b')
    """
    reason = " ".join(str(error).split())
    reason = reason if len(reason) <= LONGEST else f"{reason[:LONGEST]} …"
    return (
        reason if isinstance(error, ValueError) and reason else f"{type(error).__name__}: {reason}".removesuffix(": ")
    )


def _package(entry: EntryPoint) -> str:
    return entry.dist.name if entry.dist else entry.module


def _load_measure(entry: EntryPoint) -> Measure:
    measure = entry.load()
    if not isinstance(measure, Measure):
        raise ValueError(f"{entry.value} must be a Measure, got {short_repr(measure)}")
    return measure


def _check_is_new(measure: Measure, known: dict[str, Measure]) -> None:
    if measure.name in known:
        raise ValueError(f"a measure with the name {measure.name} already exists")
    if measure.label in {other.label for other in known.values()}:
        raise ValueError(f"a measure with the label {measure.label!r} already exists")
