"""Systems and topics that have judged each other, and what all parts of the page that show them share."""

from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from presort.desk.systems_topics import tables, words
from presort.desk.systems_topics.nouns import Nouns
from presort.desk.ui.download import offer
from presort.metrics import SystemsTopics

WIDE, NARROW = 530, 280  # pixels of tables that stand beside each other while there is room
IN_WORDS = 190  # pixels: of a column of words, and what it adds to a table


class SystemsTopicsView(NamedTuple):
    """Systems and topics that have judged each other."""

    graph: SystemsTopics
    nouns: Nouns
    value: str
    is_distance: bool


def sides_of(view: SystemsTopicsView) -> list[tuple[tables.Side, pd.DataFrame]]:
    """Return the systems and the topics with their figures."""
    return [("systems", view.graph.systems), ("topics", view.graph.topics)]


def formats(table: pd.DataFrame) -> dict[str, Any]:
    """Return how columns of figures, and the one in words, are shown; the first stays in sight on a phone."""
    figures = {name: st.column_config.NumberColumn(words.COLUMNS[name], format="%.4g") for name in words.COLUMNS}
    first = {table.columns[0]: st.column_config.Column(pinned=True)}
    return first | figures | {words.KIND: st.column_config.TextColumn(width=IN_WORDS)}


def height_of(n_rows: int) -> int:
    """Return how high in pixels a table of so many rows stands: with a bar to scroll if they are many."""
    return min(38 + 35 * n_rows, 528)


def with_names(nouns: Nouns, side: tables.Side, table: pd.DataFrame) -> pd.DataFrame:
    """Turn names into a first column; in a file, a topic may have the very name of that."""
    return table.rename_axis(nouns.of(side), axis="index").reset_index(allow_duplicates=True)


def offer_table(name: str, label: str, table: pd.DataFrame) -> None:
    """Draw a button that takes a table along."""
    offer(label, table, f"systems-topics-{name}.csv", type="tertiary")
