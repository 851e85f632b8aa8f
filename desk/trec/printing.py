"""Terminal output of `presort score`."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path

from rich.table import Table

from presort.desk.console.printing import ANY_WIDTH, out, print_table, table_of_rows
from presort.desk.scores.registry import problems
from presort.desk.text import count_text, exact_text
from presort.desk.trec.scores import EXACT, LOWER_IS_BETTER, mean, median, n_defined
from presort.metrics.batch import Floats
from presort.metrics.joined_run import JoinedRun, topic_outcomes
from presort.metrics.loss import decimal_losses, median_loss

DECIMALS = 4  # the same number as in trec_eval
MOST_TOPICS = 9  # maximum number of topics that have their own columns
FEW = 5  # maximum number of items in a list of names; "and 46 more" counts as an item


def show_scores(
    scores: Mapping[str, Floats], joined: JoinedRun, *, run: Path, qrels: Path, collection_size: int | None
) -> None:
    """Print the means and medians of a run's scores, notes and, if they fit, the scores for each topic."""
    topics = joined.topics
    n_returned, n_relevant = sum(len(x.papers) for x in topics), sum(x.n_relevant for x in topics)
    n_found = n_relevant - sum(x.n_missing for x in topics)
    out.print(
        f"{run.name} against {qrels.name}: {count_text(len(topics), 'topic')}, {count_text(n_returned, 'paper')} "
        f"returned, {n_found:,} of {n_relevant:,} relevant papers found."
    )
    figures = _figures(scores)
    has_room = False
    if len(topics) <= MOST_TOPICS:
        detailed = _figures(scores, [topic.name for topic in topics])
        has_room = out.measure(detailed, options=out.options.update(width=ANY_WIDTH)).maximum <= out.width
        figures = detailed if has_room else figures
    print_table(figures)
    exact = {name: scores[name] for name in EXACT if name in scores}
    near_1 = [_near_1(name, values, joined, collection_size, by_topic=has_room) for name, values in exact.items()]
    if found := ", ".join(filter(None, near_1)):
        out.print(f"Closer to 1 than the table can show: {found}.")
    for note in _notes_on_scores(scores, joined, collection_size):
        out.print(note)


def say_measure_problems() -> None:
    """Print a line to stderr for each plugin measure that could not be loaded or has failed."""
    for problem in problems():
        print(f"presort: {problem}", file=sys.stderr)


def _figures(scores: Mapping[str, Floats], topics: Sequence[str] = ()) -> Table:
    """Return a table of means and medians, followed by the scores for the given topics."""
    heads = ["measure", "mean", "median", "topics", *topics]
    rows = [
        [name, mean(values), median(values), n_defined(values), *values.tolist()[: len(topics)]]
        for name, values in scores.items()
    ]
    return table_of_rows(heads, rows, [head != heads[0] for head in heads], decimals=DECIMALS)


def abbreviate_names(names: Sequence[str]) -> str:
    """List the first names, followed by the number of remaining names.

    Examples
    --------
    >>> abbreviate_names(["401", "402"]), abbreviate_names([str(number) for number in range(401, 451)])
    ('401, 402', '401, 402, 403, 404 and 46 more')
    """
    few = names if len(names) <= FEW else names[: FEW - 1]
    more = f" and {len(names) - len(few)} more" if len(few) < len(names) else ""
    return ", ".join(few) + more


def _near_1(name: str, scores: Floats, joined: JoinedRun, collection_size: int | None, *, by_topic: bool) -> str:
    """Return a measure's exact values where the table shows 1 even though the outcome is not the best."""
    shown = [mean(scores), median(scores), *(scores.tolist() if by_topic else ())]
    if not any(map(_rounds_to_1, shown)):
        return ""
    outcomes = topic_outcomes(joined, collection_size=collection_size)
    known = {topic: outcome for topic, outcome in outcomes.items() if outcome is not None}
    each = dict(zip(known, decimal_losses(name, known.values()), strict=True))
    defined = [loss for loss in each.values() if not loss.is_nan()]
    by_topics = [[each[topic]] if topic in each else [] for topic in (outcomes if by_topic else ())]
    exact = [defined, [median_loss(name, known.values())], *by_topics]
    heads: dict[str, list[str]] = {}
    for head, value, of in zip(["mean", "median", *outcomes], shown, exact, strict=False):
        if _rounds_to_1(value) and any(of):
            heads.setdefault(exact_text(of), []).append(head)
    return ", ".join(f"{name} {text} ({', '.join(places)})" for text, places in heads.items())


def _rounds_to_1(value: float) -> bool:
    return f"{value:.{DECIMALS}f}" == f"{1:.{DECIMALS}f}"


def _notes_on_scores(scores: Mapping[str, Floats], joined: JoinedRun, collection_size: int | None) -> Iterator[str]:
    """Yield notes on the measures' directions, ties, missing papers and topics that were left out."""
    lower = ", ".join(name for name in LOWER_IS_BETTER if name in scores)
    better = f"Lower is better for {lower}; higher for all others." if lower else "Higher is better."
    yield f"{better} topics: number of topics in the mean."
    if n_tied := sum(x.n_tied for x in joined.topics):
        yield f"Tied with the paper above, so sorted by descending ID as in trec_eval: {count_text(n_tied, 'paper')}."
    if incomplete := [x.name for x in joined.topics if x.n_missing]:
        n_missing = sum(x.n_missing for x in joined.topics)
        never = f"{count_text(n_missing, 'relevant paper')} not returned, in {count_text(len(incomplete), 'topic')}"
        what = (
            "nan for measures that need their positions. --collection-size N puts them last"
            if collection_size is None
            else f"put last among {collection_size:,}"
        )
        yield f"{never} ({abbreviate_names(incomplete)}): {what}."
    if without := [x.name for x in joined.topics if not x.n_relevant]:
        names = abbreviate_names(without)
        yield f"No relevant paper in {count_text(len(without), 'topic')} ({names}): nan (0 in trec_eval)."
    if joined.only_in_qrels:
        left = f"{count_text(len(joined.only_in_qrels), 'topic')} ({abbreviate_names(joined.only_in_qrels)})"
        yield f"Judged but not in the run: {left}, left out of the means as in trec_eval without -c."
    if joined.only_in_run:
        left = f"{count_text(len(joined.only_in_run), 'topic')} ({abbreviate_names(joined.only_in_run)})"
        yield f"In the run but not judged: {left}, left out."
