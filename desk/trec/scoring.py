"""Implementation of `presort score` and `presort compare`: read files, score or compare, and print."""

import json
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path
from typing import Literal, TypeVar

import pandas as pd
import typer

from presort.data.errors import UnreadableFileError
from presort.data.exporters.csv_text import csv_text
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.score_file import read_topics_by_systems
from presort.desk.trec.objects import comparison_object, scores_object
from presort.desk.trec.printing import say_measure_problems, show_comparison, show_scores
from presort.desk.trec.scores import check_measures, measure_topics, score_ours
from presort.metrics import Run, TrecFileError, read_qrels, read_run
from presort.metrics.comparison import (
    COMPARED_BY,
    LEAST_TOPICS,
    RunTables,
    compare_systems,
    complete_topics,
    run_tables,
)
from presort.metrics.joined import Joined, check_collection_size, join

Read = TypeVar("Read")


def print_scores(
    run: Path,
    qrels: Path,
    measures: list[str] | None,
    collection_size: int | None,
    *,
    form: Literal["text", "json", "csv"],
) -> None:
    """Print the scores of a run."""
    names = _names(measures)
    returned, joined = _joined(run, qrels, _read(read_qrels, qrels))
    _check_size(run, joined, collection_size)
    table = measure_topics(joined, names, collection_size=collection_size)
    say_measure_problems()
    if form == "json":
        typer.echo(json.dumps(scores_object(returned.tag, joined, table, collection_size)))
    elif form == "csv":
        typer.echo(csv_text(table.rename_axis("topic").reset_index()), nl=False)
    else:
        show_scores(table, joined, run=run, qrels=qrels, collection_size=collection_size)


def print_comparison(
    paths: Sequence[Path],
    measures: list[str] | None,
    rows: str | None,
    collection_size: int | None,
    *,
    as_json: bool,
) -> None:
    """Print the comparison of runs, or of the systems in a table of scores."""
    if len(paths) == 1:
        tables = RunTables(_scores_of_table(paths[0], measures, rows, collection_size), (), {})
    else:
        tables = _tables_of_runs(paths, measures, rows, collection_size)
        say_measure_problems()
    scores = tables.scores
    n_topics, n_complete = (len(next(iter(each.values()))) for each in (scores, complete_topics(scores)))
    if n_complete < LEAST_TOPICS:
        found = f"{n_complete} of {n_topics} topics have all scores of all systems by {', '.join(scores)}"
        hint = "" if len(paths) == 1 else ". 'presort score' lists missing scores; --collection-size may add them"
        raise UnreadableFileError(paths[-1], f"{found}; at least {LEAST_TOPICS} are needed{hint}")
    comparison = compare_systems(scores, turned=tables.turned, levels=tables.levels)
    if as_json:
        typer.echo(json.dumps(comparison_object(comparison, collection_size)))
    else:
        show_comparison(comparison)


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
    names = _names(measures) or list(COMPARED_BY)
    qrels = _read(read_qrels, qrels_path)
    joined = [_joined(path, qrels_path, qrels) for path in runs]
    for path, (_, one) in zip(runs, joined, strict=True):
        _check_size(path, one, collection_size)
    systems = _distinct_names(runs, [run.tag for run, _ in joined])
    by_system = {name: one for name, (_, one) in zip(systems, joined, strict=True)}
    measures_of = [MEASURES.get(name, name) for name in names]
    return run_tables(by_system, measures_of, score_ours, collection_size=collection_size)


def _distinct_names(paths: Sequence[Path], tags: Sequence[str]) -> list[str]:
    """Name systems by their tags or, if the tags are not distinct, by their file names or paths."""
    for names in (tags, [path.name for path in paths], [str(path) for path in paths]):
        if len(set(names)) == len(names):
            return list(names)
    raise typer.BadParameter("contains the same run twice", param_hint="RUN... QRELS")


def _joined(path: Path, qrels_path: Path, qrels: Mapping[str, dict[str, int]]) -> tuple[Run, Joined]:
    run = _read(read_run, path)
    if not run.keys() & qrels.keys():
        example = f"its topics are like {min(run)!r}, not {min(qrels)!r}"
        raise UnreadableFileError(path, f"has none of the topics of {qrels_path.name}: {example}")
    return run, join(run, qrels)


def _read(read: Callable[[Path], Read], path: Path) -> Read:
    """Read a file, and convert errors to those that the command line reports."""
    try:
        return read(path)
    except TrecFileError as error:
        raise UnreadableFileError(path, error.reason, line=error.line) from error
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error


def _names(measures: list[str] | None) -> list[str] | None:
    """Check the measures and remove duplicates."""
    try:
        check_measures(measures or [])
    except (ValueError, ImportError) as error:
        raise typer.BadParameter(str(error), param_hint="--measure") from error
    return list(dict.fromkeys(measures)) if measures else None


def _check_size(path: Path, joined: Joined, collection_size: int | None) -> None:
    try:
        check_collection_size(joined, collection_size)
    except ValueError as error:
        raise typer.BadParameter(f"{path.name}: {error}", param_hint="--collection-size") from error
