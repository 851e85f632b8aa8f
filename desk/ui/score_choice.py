"""The boxes that say which rankings are looked at, and by which measure."""

from collections.abc import Sequence

import pandas as pd
from streamlit.delta_generator import DeltaGenerator

from presort.data.learning import rankings
from presort.desk.scores.registry import MEASURES
from presort.desk.scores.replays import source_named
from presort.desk.scores.sorters import SORTED, rows_of
from presort.desk.scores.table import MEASURED
from presort.desk.service import rankers
from presort.desk.ui import cache
from presort.desk.ui.choice import choice

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


def active_among(names: Sequence[str]) -> int:
    """Return the place of the active ranker among others, from 0; 0 if it is none of them."""
    active = rankers.active(cache.store())
    return names.index(active) if active in names else 0


def measure_choice(
    place: DeltaGenerator,
    default: str,
    *,
    label: str = "Measure",
    name: str = "measure",
    options: Sequence[str] = MEASURED,
) -> str:
    """Draw a box of measures, and return the name of the one chosen; the first where the default is not offered."""
    index = options.index(default) if default in options else 0
    return choice(place, label, options, name=name, named=lambda name: MEASURES[name].label, default=index)
