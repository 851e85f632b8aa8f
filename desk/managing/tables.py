"""A table of the page Manage, and the file of it."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from desk.boxes.table_file import offer
from desk.words import manage as words

# Streamlit's own download of a table writes texts as they are, which a spreadsheet may run.
STYLE = """
<style>
[class*="st-key-table-"] [data-testid="stElementToolbar"] { display: none; }
</style>
"""
MOST_ROWS = 15  # seen at once
ROW, HEAD = 35, 38  # pixels


def draw(table: pd.DataFrame, columns: Mapping[str, str], name: str, *, colour: str | None = None) -> None:
    """Draw a table and offer it as CSV.

    Parameters
    ----------
    columns : mapping
        From the table's columns to what stands above them.
    name : str
        Of the file, and of the widgets' keys.
    colour : str, optional
        A column of colours, each written in itself.
    """
    shown = table.style.map(_written_in, subset=[colour]) if colour else table
    with st.container(key=f"table-{name}"):
        st.html(STYLE)
        st.dataframe(
            shown,
            hide_index=True,
            height=HEAD + ROW * min(len(table), MOST_ROWS),
            column_config={column: st.column_config.Column(label) for column, label in columns.items()},
            key=f"frame-{name}",
        )
        offer(words.DOWNLOAD, table, f"{name}.csv")


def _written_in(colour: object) -> str:
    return f"color: {colour}"
