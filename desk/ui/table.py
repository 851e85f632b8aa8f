"""A table of the page Manage, and the file of it."""

from collections.abc import Mapping

import pandas as pd
import streamlit as st

from presort.desk.ui.download import offer

MOST_ROWS = 15  # seen at once
ROW, HEAD = 35, 38  # pixels


def draw(table: pd.DataFrame, columns: Mapping[str, str], name: str, *, colour: str | None = None) -> None:
    """Draw a table and offer it as CSV, with these heads; file and widgets get the name.

    The first column stays in sight on a phone. A column of colours shows a patch of each.
    """
    first = next(iter(columns))
    shown = table.style.map(_written_in, subset=[colour]).format(_patch, subset=[colour]) if colour else table
    st.dataframe(
        shown,
        hide_index=True,
        height=HEAD + ROW * min(len(table), MOST_ROWS),
        column_config={
            column: st.column_config.Column(label, pinned=column == first or None) for column, label in columns.items()
        },
        key=f"frame-{name}",
    )
    offer("Download the table as CSV", table, f"{name}.csv")


def _patch(colour: object) -> str:
    return "■■■"


def _written_in(colour: object) -> str:
    return f"color: {colour}"
