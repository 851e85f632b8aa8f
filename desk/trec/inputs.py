"""Read and check the input to `presort score` and `presort compare`."""

from collections.abc import Callable
from pathlib import Path
from typing import TypeVar

import typer

from presort.data.errors import UnreadableFileError
from presort.desk.trec.scores import check_measures
from presort.metrics import Run, TrecFileError, read_run
from presort.metrics.joined_run import JoinedRun, check_collection_size, join
from presort.metrics.trec import Qrels

Read = TypeVar("Read")


def join_run(path: Path, qrels_path: Path, qrels: Qrels) -> tuple[Run, JoinedRun]:
    """Read a run and join it with the judgements. `qrels_path` is used only in an error message.

    Raises
    ------
    UnreadableFileError
        If the run can't be read, or if none of its topics has judgements.
    """
    run = read_file(read_run, path)
    if not run.keys() & qrels.keys():
        example = f"its topics are like {min(run)!r}, not {min(qrels)!r}"
        raise UnreadableFileError(path, f"has none of the topics of {qrels_path.name}: {example}")
    return run, join(run, qrels)


def read_file(read: Callable[[Path], Read], path: Path) -> Read:
    """Read a file, and convert errors to exceptions that the command line reports."""
    try:
        return read(path)
    except TrecFileError as error:
        raise UnreadableFileError(path, error.reason, line=error.line) from error
    except OSError as error:
        raise UnreadableFileError(path, f"can't be read: {error.strerror or error}") from error


def measure_names(measures: list[str] | None) -> list[str] | None:
    """Check the measures and remove duplicates. Returns None if no measures are given."""
    try:
        check_measures(measures or [])
    except (ValueError, ImportError) as error:
        raise typer.BadParameter(str(error), param_hint="--measure") from error
    return list(dict.fromkeys(measures)) if measures else None


def check_size(path: Path, joined: JoinedRun, collection_size: int | None) -> None:
    """Raise an error if the collection size is too small for a run."""
    try:
        check_collection_size(joined, collection_size)
    except ValueError as error:
        raise typer.BadParameter(f"{path.name}: {error}", param_hint="--collection-size") from error
