"""What `presort summary` prints: a table of means, and how to read it."""

from collections.abc import Iterable, Mapping

import pandas as pd

from presort.data.records import Replay
from presort.desk.console.printing import out, table_of
from presort.desk.scores.replays import replay_named
from presort.desk.summary.words import sorters_named
from presort.desk.text import counted


def show_summary(
    summarised: pd.DataFrame, *, n_left_out: int, by_rankers: Mapping[str, int], replays: Iterable[Replay]
) -> None:
    """Print a table of means, how to read it, and the replays there are.

    Where it has one ranking of each report issue, `by_rankers` has in how many issues each ranker sorted.
    """
    shown = summarised.drop(columns="all_relevant")
    out.print(table_of(shown.assign(nothing_relevant=summarised["nothing_relevant"] + summarised["all_relevant"])))
    out.print(
        "last, median: mean and median relative last position, lower is better; the others are means, higher is "
        "better. none: issues without an order to judge, as nothing is relevant (left out) or everything is (left out "
        "of Aselt, Nosel, Copnori). as is: too few decisions, list order kept."
    )
    if n_left_out:
        out.print(f"Left out, as not every ranker has ranked their issue: {counted(n_left_out, 'ranking')}.")
    if by_rankers:
        out.print(f"One ranking of each report issue is counted, by {sorters_named(by_rankers)}.")
    for replay in replays:
        out.print(replay_named(replay))
