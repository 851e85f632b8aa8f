"""Widgets for pages with scores: selection of rankings, ranker and measure, and notes on excluded report issues."""

from collections.abc import Collection, Sequence
from datetime import date

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data.learning import rankings
from presort.desk.scores import table
from presort.desk.scores.formats import source_label
from presort.desk.scores.outcomes import not_evaluable_note
from presort.desk.scores.registry import MEASURES, problems
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import MEASURED
from presort.desk.text import escape
from presort.desk.ui import cache
from presort.desk.ui.choice import choice, current

IN_USE = "In use at the time"
REPLAY_HELP = "A replay ranks each past issue as if it were new, using only earlier decisions."


def source_choice(place: DeltaGenerator, *, help: str | None = REPLAY_HELP) -> int | None:
    """Draw the select box for rankings. Returns a replay's number, or None for rankings shown to editors."""
    replays = {replay.id: replay for replay in rankings.replays(cache.store())}
    chosen = choice(
        place,
        "Rankings",
        [0, *replays],
        name="replay",
        named=lambda number: source_label(replays.get(number)),
        help=help,
    )
    return chosen or None


def sorter_choice(place: DeltaGenerator, scored: pd.DataFrame, *, help: str | None = None) -> str:
    """Draw a select box with the rankers in a table of scores, and return the chosen ranker.

    If the table has rankings for editors, the first option is `SORTED`, the ranker in use at the time.
    """
    found: list[str] = sorted(scored["ranker"].unique())
    offered = found if rows_of(cache.store(), scored, SORTED).empty else [SORTED, *found]
    return choice(place, "Ranker", offered, name="ranker", named=lambda name: name or IN_USE, help=help)


def measure_choice(
    place: DeltaGenerator,
    default: str,
    *,
    label: str = "Measure",
    name: str = "measure",
    options: Sequence[str] = MEASURED,
    help: str | None = None,
) -> str:
    """Draw a select box with measures, and return the chosen measure's name.

    At first, the default is selected, or the first option if the default is not among the options.
    """
    index = options.index(default) if default in options else 0
    return choice(place, label, options, name=name, named=lambda name: MEASURES[name].label, default=index, help=help)


def current_measure(default: str) -> str:
    """Return the measure that `measure_choice` will show, for widgets that are drawn before the box."""
    return current(MEASURED, name="measure", default=MEASURED.index(default))


def draw_not_evaluable(
    replay: int | None,
    rankers: Collection[str] | None = None,
    reports: Collection[str] | None = None,
    *,
    first: date | None = None,
    last: date | None = None,
) -> None:
    """Draw the number of report issues that are excluded because reading stopped too early. Draws nothing if it is 0.

    Parameters
    ----------
    replay : int or None
        Number of the replay. None for rankings shown to editors.
    rankers, reports : collection of str, optional
        Rankers and reports to include. Defaults to all.
    first, last : date, optional
        First and last issue to include. Defaults to all issues.
    """
    n = table.n_not_evaluable(cache.not_evaluable_rankings(replay), rankers, reports, first=first, last=last)
    if text := not_evaluable_note(n):
        st.caption(text)


def draw_measure_problems() -> None:
    """Draw a line for each plugin measure that can't be loaded or has failed."""
    for problem in problems():
        st.caption(escape(problem))
