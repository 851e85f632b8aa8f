"""Check the orientation of score tables, which have one row per topic and one column per system.

In Presort, a *system* is a ranker version and a *topic* is a report or a report issue. A transposed table is only
recognisable by its names: axis names such as "system", or row names that are the column names of another table.
"""

from __future__ import annotations

import re
from collections.abc import Hashable, Mapping
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import ArrayLike

from presort.metrics.arguments import short_repr
from presort.metrics.lazy import pd
from presort.metrics.registry import MEASURES

ScoreTable: TypeAlias = "pd.DataFrame | ArrayLike"  # shape (n_topics, n_systems)
ROWS_TOPICS = "a row per topic and a column per system"
SYSTEMS = frozenset({"system", "systems", "run", "runs", "ranker", "rankers", "tag"})
TOPICS = frozenset({"topic", "topics", "topic_id", "query", "queries", "query_id", "qid", "report", "issue"})
MEASURE_AXES = frozenset({"measure", "measures", "metric", "metrics"})
OTHER_MEASURES = frozenset(
    {"AP", "MAP", "RR", "MRR", "nDCG", "P", "R", "Rprec", "Bpref", "RBP", "ERR", "Success", "AUC"}
)
PARAMETERS = re.compile(r"[(@].*")  # parameters and cut-off in a name known to ir-measures, as in P(rel=2)@10


def check_orientation(name: str, table: object) -> None:
    """Raise ValueError if a DataFrame's axis names show that it is transposed.

    Examples
    --------
    >>> check_orientation("scores", pd.DataFrame([[0.1]], index=pd.Index(["old"], name="system")))
    Traceback (most recent call last):
    ValueError: scores must have a row per topic and a column per system, but its rows are named 'system': pass scores.T
    """
    if not isinstance(table, pd.DataFrame):
        return
    for axis, wrong, label in (("rows", SYSTEMS, table.index.name), ("columns", TOPICS, table.columns.name)):
        if _lower(label) in wrong:
            raise ValueError(f"{name} must have {ROWS_TOPICS}, but its {axis} are named {label!r}: pass {name}.T")


def score_table(name: str, scores: Any, *, n_topics: int, n_systems: int) -> pd.DataFrame:
    """Return scores as a DataFrame of shape (n_topics, n_systems). Rows and columns without names get 0-based numbers.

    Parameters
    ----------
    name : str
        Name of the argument, for error messages.
    scores : array_like or DataFrame
        Table to convert.
    n_topics, n_systems : int
        Minimum numbers of topics and systems.

    Raises
    ------
    ValueError
        If scores is not a table, is too small or transposed, or has duplicate topics or systems.
    """
    if not isinstance(scores, pd.DataFrame | np.ndarray):
        # Rows of unequal length then result in a one-dimensional array, which is rejected below.
        scores = np.asarray(scores, dtype=object)
    rule = f"a table with topics as rows (at least {n_topics}) and systems as columns (at least {n_systems})"
    if scores.ndim != 2 or len(scores) < n_topics or scores.shape[1] < n_systems:
        raise ValueError(f"{name} must be {rule}, got shape {scores.shape}")
    check_orientation(name, scores)
    table = pd.DataFrame(scores)
    for kind, labels in (("topic", table.index), ("system", table.columns)):
        if not labels.is_unique:
            raise ValueError(f"{name} must contain each {kind} only once, got {labels[labels.duplicated()][0]} twice")
    return table


def align_tables(name: str, tables: Mapping[str, Any], *, columns: str = "systems") -> dict[str, Any]:
    """Reorder the rows and columns of all DataFrames to match the first one. Arrays are returned unchanged.

    Raises
    ------
    ValueError
        If a table is transposed, or if its topics or columns differ from those of the first table.
    """
    found: dict[str, Any] = {}
    first: pd.DataFrame | None = None
    for key, table in tables.items():
        check_orientation(f"{name}[{key!r}]", table)
        if isinstance(table, pd.DataFrame):
            first = table if first is None else first
            table = table if table is first else _like(f"{name}[{key!r}]", table, first, columns)
        found[key] = table
    return found


def _like(name: str, table: pd.DataFrame, first: pd.DataFrame, columns: str) -> pd.DataFrame:
    """Reorder the rows and columns of a table to match the first one."""
    if table.index.equals(first.index) and table.columns.equals(first.columns):
        return table
    axes, wanted = ([set(axis) for axis in (each.index, each.columns)] for each in (table, first))
    if axes == wanted and table.index.is_unique and table.columns.is_unique:
        return table.loc[first.index, first.columns]
    if axes == wanted[::-1]:
        raise ValueError(f"{name} must have {ROWS_TOPICS}, but its rows are the columns of the first table: pass .T")
    kind, odd = ("topics", axes[0] ^ wanted[0]) if axes[0] != wanted[0] else (columns, axes[1] ^ wanted[1])
    found = short_repr(sorted(map(str, odd)))
    raise ValueError(
        f"{name} must have the same {kind} as the first table, each only once; only one of the two tables has {found}"
    )


def tables_by_system(name: str, scores: Mapping[str, ArrayLike]) -> Mapping[str, ArrayLike]:
    """Return one table per system, shape (n_topics, n_measures).

    Parameters
    ----------
    name : str
        Name of the argument, for error messages.
    scores : mapping of str to array_like
        Either one table per system, shape (n_topics, n_measures), or one DataFrame per measure, shape (n_topics,
        n_systems). Tables per measure are recognised by the name "system" of their columns, or because the keys are
        names of measures and the columns are not.

    Raises
    ------
    ValueError
        If a table is transposed, or if DataFrames differ in topics or columns.
    """
    tables = [table for table in scores.values() if isinstance(table, pd.DataFrame)]
    for key, table in scores.items():
        check_orientation(f"{name}[{key!r}]", table)
        if isinstance(table, pd.DataFrame) and (
            _lower(table.index.name) in MEASURE_AXES or (_measures(table.index) and not _measures(table.columns))
        ):
            raise ValueError(f"{name}[{key!r}] must have a row per topic, but its rows are measures: pass .T")
    if not tables or len(tables) < len(scores):
        return scores
    if not _is_by_measure(scores.keys(), tables[0]):
        return align_tables(name, scores, columns="measures")
    same = align_tables(name, scores)
    return {system: pd.DataFrame({key: same[key][system] for key in same}) for system in tables[0].columns}


def _is_by_measure(keys: Any, table: pd.DataFrame) -> bool:
    if _lower(table.columns.name) in MEASURE_AXES:
        return False
    return _lower(table.columns.name) in SYSTEMS or (_measures(keys) and not _measures(table.columns))


def _measures(names: Any) -> bool:
    """Return True if all names are names of measures."""
    known = MEASURES.keys() | OTHER_MEASURES
    return len(names) > 0 and all(isinstance(each, str) and PARAMETERS.sub("", each) in known for each in names)


def _lower(label: Hashable) -> str:
    return label.lower() if isinstance(label, str) else ""
