"""Widgets of pages with scores: choice of rankings and measure, and lines on what figures leave out."""

from collections.abc import Collection, Sequence
from datetime import date

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.data.learning import rankings
from presort.desk.scores import table
from presort.desk.scores.formats import source_named
from presort.desk.scores.outcomes import not_evaluable_says
from presort.desk.scores.registry import MEASURES, problems
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import MEASURED
from presort.desk.text import plain
from presort.desk.ui import cache
from presort.desk.ui.choice import choice, current

IN_USE = "The one in use then"
REPLAY_HELP = "A replay ranks past issues as if each had been new, with what was decided before it."


def source_choice(place: DeltaGenerator, *, help: str | None = REPLAY_HELP) -> int | None:
    """Draw the box of rankings, and return the replay chosen; None for what editors saw."""
    replays = {replay.id: replay for replay in rankings.replays(cache.store())}
    chosen = choice(
        place,
        "Rankings",
        [0, *replays],
        name="replay",
        named=lambda number: source_named(replays.get(number)),
        help=help,
    )
    return chosen or None


def sorter_choice(place: DeltaGenerator, scored: pd.DataFrame, *, help: str | None = None) -> str:
    """Draw the box of rankers in a table of scores; first is `SORTED`, where any sorted for editors."""
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
    """Draw a box of measures, and return the name of the one chosen; the first where the default is not offered."""
    index = options.index(default) if default in options else 0
    return choice(place, label, options, name=name, named=lambda name: MEASURES[name].label, default=index, help=help)


def current_measure(default: str) -> str:
    """Return the measure that `measure_choice` shows, for widgets drawn before its box."""
    return current(MEASURED, name="measure", default=MEASURED.index(default))


def draw_not_evaluable(
    replay: int | None,
    rankers: Collection[str] | None = None,
    reports: Collection[str] | None = None,
    *,
    first: date | None = None,
    last: date | None = None,
) -> None:
    """Draw how many report issues figures leave out because their editors stopped too early. Draws nothing if none.

    `replay` is None for rankings made for editors. Defaults to the figures of all rankers, reports and issues.
    """
    n = table.n_not_evaluable(cache.not_evaluable(replay), rankers, reports, first=first, last=last)
    if text := not_evaluable_says(n):
        st.caption(text)


def draw_measure_problems() -> None:
    """Draw a line for each measure of a package that can't be loaded, or has no value because it failed."""
    for problem in problems():
        st.caption(plain(problem))
