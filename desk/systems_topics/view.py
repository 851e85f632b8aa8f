"""Data and formatting shared by all parts of the *Systems and topics* page."""

from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from presort.desk.systems_topics import tables
from presort.desk.systems_topics.nouns import Nouns
from presort.desk.ui.download import offer
from presort.metrics import SystemsTopics

WIDE, NARROW = 500, 280  # widths of tables in pixels: two of them fit side by side in a wide window


COLUMNS = {"mean": "Mean", "inlinks": "Inlinks", "pagerank": "PageRank", "hub": "Hub", "authority": "Authority"}


class SystemsTopicsView(NamedTuple):
    """Graph of systems and topics, with the information needed to format their scores.

    Attributes
    ----------
    graph : SystemsTopics
        Graph whose scores are negated if lower is better.
    nouns : Nouns
        Nouns for systems and topics.
    value : str
        Label of the score.
    sign : int
        Factor that restores the scores' original sign: -1 if they were negated, and 1 otherwise.
    is_share : bool
        True if the score is a share, which is shown as a percentage.
    is_distance : bool
        True if the graph's scores are negated losses, which are shown as distances from 100 %.
    """

    graph: SystemsTopics
    nouns: Nouns
    value: str
    sign: int = 1
    is_share: bool = False
    is_distance: bool = False

    def text(self, score: float) -> str:
        """Format a score."""
        shown = self.sign * score
        return f"{100 * shown:.1f} %" if self.is_share else f"{shown:.4g}"


def sides_of(view: SystemsTopicsView) -> list[tuple[tables.Side, pd.DataFrame]]:
    """Return the systems and the topics with their figures."""
    return [("systems", view.graph.systems), ("topics", view.graph.topics)]


def formats(table: pd.DataFrame) -> dict[str, Any]:
    """Return the column configuration for a table of figures. The first column is pinned."""
    figures = {name: st.column_config.NumberColumn(label, format="%.4g") for name, label in COLUMNS.items()}
    first = {table.columns[0]: st.column_config.Column(pinned=True)}  # so that it stays visible on phones
    return first | figures


def height_of(n_rows: int) -> int:
    """Return the height in pixels of a table with `n_rows` rows. Long tables scroll."""
    return min(38 + 35 * n_rows, 528)


def with_names(nouns: Nouns, side: tables.Side, table: pd.DataFrame) -> pd.DataFrame:
    """Turn the index into the first column. Its name is the noun for a system or for a topic.

    The name may occur twice, because a system or topic in a file may be called "topic" or "system".
    """
    return table.rename_axis(nouns.singular(side), axis="index").reset_index(allow_duplicates=True)


def offer_table(name: str, label: str, table: pd.DataFrame) -> None:
    """Draw a button that downloads a table."""
    offer(label, table, f"systems-topics-{name}.csv", type="tertiary")
