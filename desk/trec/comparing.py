"""Implementation of `presort compare`: read files, compare, and print."""

import json
import math
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import pandas as pd
import typer

from presort.data.errors import UnreadableFileError
from presort.desk.scores.correlations import correlations
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.score_file import read_topics_by_systems
from presort.desk.trec.comparison_printing import show_comparison
from presort.desk.trec.inputs import check_size, join_run, measure_names, read_file
from presort.desk.trec.printing import say_measure_problems
from presort.desk.trec.scores import score_ours
from presort.metrics import read_qrels
from presort.metrics.comparison import (
    COMPARED_BY,
    LEAST_TOPICS,
    Comparison,
    RunTables,
    compare_systems,
    complete_topics,
    run_tables,
)


def print_comparison(
    paths: Sequence[Path],
    measures: list[str] | None,
    rows: str | None,
    collection_size: int | None,
    *,
    as_json: bool,
) -> None:
    """Print a comparison of runs, or of the systems in a table of scores."""
    if len(paths) == 1:
        tables = RunTables(_scores_of_table(paths[0], measures, rows, collection_size), (), {})
    else:
        tables = _tables_of_runs(paths, measures, rows, collection_size)
        say_measure_problems()
    scores = tables.scores
    n_topics, n_complete = (len(next(iter(each.values()))) for each in (scores, complete_topics(scores)))
    if n_complete < LEAST_TOPICS:
        verb = "has" if n_complete == 1 else "have"
        measured = f"scores for every system on every measure ({', '.join(scores)})"
        found = f"{n_complete} of {n_topics} topics {verb} {measured}"
        hint = "" if len(paths) == 1 else ". 'presort score' lists missing scores; --collection-size may fill them in"
        raise UnreadableFileError(paths[-1], f"{found}; at least {LEAST_TOPICS} are needed{hint}")
    comparison = compare_systems(scores, turned=tables.turned, levels=tables.levels)
    if as_json:
        typer.echo(json.dumps(comparison_object(comparison, collection_size)))
    else:
        show_comparison(comparison)


def comparison_object(comparison: Comparison, collection_size: int | None) -> dict[str, object]:
    """Return the comparison of systems by each measure as a JSON-serialisable object. NaN becomes null."""
    systems = comparison.improvements.drop(columns=["n_cases", "n_left_out"])
    return {
        "measures": list(comparison.scores),
        "with_minus_sign": [*comparison.turned, *comparison.by_distance],
        "by_distance": comparison.by_distance,
        "collection_size": collection_size,
        "n_topics": len(next(iter(comparison.scores.values()))),
        "left_out": comparison.left_out,
        "systems": _records(systems.reset_index()),
        "uir": {system: _nulls(row) for system, row in comparison.uir.to_dict(orient="index").items()},
        "tests": {measure: _records(table) for measure, table in comparison.tests.items()},
        "tukey_hsd": {measure: _records(table) for measure, table in comparison.at_once.items()},
        "systems_topics": {
            "measure": next(iter(comparison.scores)),
            "systems": _records(comparison.graph.systems.rename_axis("system").reset_index()),
            "topics": _records(comparison.graph.topics.rename_axis("topic").reset_index()),
            "correlations": _records(correlations(comparison.graph)),
        },
    }


def _scores_of_table(
    path: Path, measures: list[str] | None, rows: str | None, collection_size: int | None
) -> dict[str, pd.DataFrame]:
    if measures:
        raise typer.BadParameter("can't be used with a table of scores, only with runs", param_hint="--measure")
    if collection_size:
        raise typer.BadParameter("can't be used with a table of scores, only with runs", param_hint="--collection-size")
    return {"score": read_topics_by_systems(path, "systems" if rows == "systems" else "topics")}


def _tables_of_runs(
    paths: Sequence[Path], measures: list[str] | None, rows: str | None, collection_size: int | None
) -> RunTables:
    if rows:
        raise typer.BadParameter("can be used only with a table of scores", param_hint="--rows")
    *runs, qrels_path = paths
    if len(runs) < 2:
        raise typer.BadParameter(
            "needs at least two runs, followed by the judgements. Use 'presort score' for a single run",
            param_hint="RUN... QRELS",
        )
    names = measure_names(measures) or list(COMPARED_BY)
    qrels = read_file(read_qrels, qrels_path)
    joined = [join_run(path, qrels_path, qrels) for path in runs]
    for path, (_, one) in zip(runs, joined, strict=True):
        check_size(path, one, collection_size)
    systems = _distinct_names(runs, [run.tag for run, _ in joined])
    by_system = {name: one for name, (_, one) in zip(systems, joined, strict=True)}
    measures_of = [MEASURES.get(name, name) for name in names]
    return run_tables(by_system, measures_of, score_ours, collection_size=collection_size)


def _distinct_names(paths: Sequence[Path], tags: Sequence[str]) -> list[str]:
    """Name the systems by their tags or, if these are not distinct, by their file names or paths."""
    for names in (tags, [path.name for path in paths], [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return list(names)
    raise typer.BadParameter("contains the same run twice", param_hint="RUN... QRELS")


def _records(table: pd.DataFrame) -> list[dict[str, Any]]:
    return [_nulls(row) for row in table.to_dict(orient="records")]


def _nulls(values: Mapping[Any, Any]) -> dict[str, Any]:
    """Replace NaN with None, because JSON has no NaN."""
    return {name: None if isinstance(value, float) and math.isnan(value) else value for name, value in values.items()}
