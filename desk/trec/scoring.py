"""Implementation of `presort score`: read files, score, and print. It avoids pandas, which is slow to import."""

import json
import math
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any, Literal

import typer

from presort.data.exporters.csv_text import csv_of_rows
from presort.desk.trec.inputs import check_size, join_run, measure_names, read_file
from presort.desk.trec.printing import say_measure_problems, show_scores
from presort.desk.trec.scores import mean, measure_topics, median, n_defined
from presort.metrics import read_qrels
from presort.metrics.batch import Floats
from presort.metrics.joined_run import JoinedRun


def print_scores(
    run: Path,
    qrels: Path,
    measures: list[str] | None,
    collection_size: int | None,
    *,
    form: Literal["text", "json", "csv"],
) -> None:
    """Print a run's scores in the requested format."""
    names = measure_names(measures)
    returned, joined = join_run(run, qrels, read_file(read_qrels, qrels))
    check_size(run, joined, collection_size)
    scores = measure_topics(joined, names, collection_size=collection_size)
    say_measure_problems()
    if form == "json":
        typer.echo(json.dumps(scores_object(returned.tag, joined, scores, collection_size)))
    elif form == "csv":
        typer.echo(csv_of_rows([["topic", *scores], *_rows(joined, scores)]), nl=False)
    else:
        show_scores(scores, joined, run=run, qrels=qrels, collection_size=collection_size)


def scores_object(
    tag: str, joined: JoinedRun, scores: Mapping[str, Floats], collection_size: int | None
) -> dict[str, object]:
    """Return each topic's scores, the means and medians, and the topics left out, for output as JSON.

    NaN becomes null.
    """
    return {
        "run": tag,
        "collection_size": collection_size,
        "topics": {topic: _nulls(zip(scores, values, strict=True)) for topic, *values in _rows(joined, scores)},
        "mean": _nulls((name, mean(values)) for name, values in scores.items()),
        "median": _nulls((name, median(values)) for name, values in scores.items()),
        "n_topics": {name: n_defined(values) for name, values in scores.items()},
        "n_tied": sum(topic.n_tied for topic in joined.topics),
        "never_returned": {topic.name: topic.n_missing for topic in joined.topics if topic.n_missing},
        "nothing_relevant": [topic.name for topic in joined.topics if not topic.n_relevant],
        "only_in_run": joined.only_in_run,
        "only_in_qrels": joined.only_in_qrels,
    }


def _rows(joined: JoinedRun, scores: Mapping[str, Floats]) -> Iterable[tuple[Any, ...]]:
    """Return each topic's name and scores."""
    return zip((topic.name for topic in joined.topics), *(values.tolist() for values in scores.values()), strict=True)


def _nulls(values: Iterable[tuple[str, float]]) -> dict[str, float | None]:
    """Replace NaN with None, because JSON has no NaN."""
    return {name: None if math.isnan(value) else value for name, value in values}
