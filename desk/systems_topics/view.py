"""Systems and topics that judge each other, and the formats shared by all parts of their page."""

from typing import Any, NamedTuple

import pandas as pd
import streamlit as st

from presort.desk.systems_topics import tables
from presort.desk.systems_topics.nouns import Nouns
from presort.desk.ui.download import offer
from presort.metrics import SystemsTopics

WIDE, NARROW = 500, 280  # pixels of tables that are side by side if there is room


COLUMNS = {"mean": "Mean", "inlinks": "Inlinks", "pagerank": "PageRank", "hub": "Hub", "authority": "Authority"}


class SystemsTopicsView(NamedTuple):
    """Systems and topics that judge each other, with the format of their scores.

    Attributes
    ----------
    graph : SystemsTopics
        Its scores are higher if better: those of a measure of which lower is better have a minus sign.
    nouns : Nouns
    value : str
        Name of the score.
    sign : int
        -1 if the score is shown without that minus sign; else 1.
    is_share, is_distance : bool
        True if the score is a share, shown in percent; True if 1 was subtracted, so that its loss is shown.
    """

    graph: SystemsTopics
    nouns: Nouns
    value: str
    sign: int = 1
    is_share: bool = False
    is_distance: bool = False

    def text(self, score: float) -> str:
        """Write a score."""
        shown = self.sign * score
        return f"{100 * shown:.1f} %" if self.is_share else f"{shown:.4g}"


def sides_of(view: SystemsTopicsView) -> list[tuple[tables.Side, pd.DataFrame]]:
    """Return the systems and the topics with their figures."""
    return [("systems", view.graph.systems), ("topics", view.graph.topics)]


def formats(table: pd.DataFrame) -> dict[str, Any]:
    """Return the formats of columns of figures. The first column stays visible on a phone."""
    figures = {name: st.column_config.NumberColumn(label, format="%.4g") for name, label in COLUMNS.items()}
    first = {table.columns[0]: st.column_config.Column(pinned=True)}
    return first | figures


def height_of(n_rows: int) -> int:
    """Return the height in pixels of a table with so many rows. Long tables scroll."""
    return min(38 + 35 * n_rows, 528)


def with_names(nouns: Nouns, side: tables.Side, table: pd.DataFrame) -> pd.DataFrame:
    """Turn names into a first column; in a file, a topic may have the very name of that."""
    return table.rename_axis(nouns.of(side), axis="index").reset_index(allow_duplicates=True)


def offer_table(name: str, label: str, table: pd.DataFrame) -> None:
    """Draw a button that downloads a table."""
    offer(label, table, f"systems-topics-{name}.csv", type="tertiary")
