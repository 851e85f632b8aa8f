"""A table of a page, with its search, its download and the action of a click on a row."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.ui.download import offer

Heads = Mapping[str, Any]  # by column: a label, or a column configuration of Streamlit
MOST_ROWS = 15  # seen at once
ROW, HEAD = 35, 38  # pixels


def search(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Draw a search field and return the rows that contain all its words, in any column and any case."""
    text = st.text_input(
        "Search",
        key=f"search-{name}",
        placeholder="Search",
        icon=":material/search:",
        label_visibility="collapsed",
        width=240,
    )
    found = table
    for word in text.lower().split():
        is_in = found.astype(str).apply(lambda column, word=word: column.str.lower().str.contains(word, regex=False))
        found = found[is_in.any(axis=1)]
    return found


def head(
    usual: pd.DataFrame, name: str, only: Mapping[str, pd.DataFrame] = MappingProxyType({})
) -> tuple[pd.DataFrame, DeltaGenerator]:
    """Draw the search field of a table, and pills that show other rows of it, with their numbers.

    Parameters
    ----------
    usual : DataFrame
        The rows if no pill is chosen.
    only : mapping from str to DataFrame
        The rows of each pill, by its label. Defaults to no pills.

    Returns
    -------
    shown : DataFrame
        The rows that are chosen and found.
    row : DeltaGenerator
        The row of the search field, for buttons.
    """
    row = st.container(horizontal=True, vertical_alignment="center", key=f"head-{name}")
    place = row.container(width="content")
    chosen = None
    if only:
        chosen = row.pills(
            "Only",
            list(only),
            format_func=lambda label: f"{label} {len(only[label]):,}",
            key=f"which-{name}",
            label_visibility="collapsed",
        )
    with place:
        return search(only[chosen] if chosen else usual, name), row


def draw(table: pd.DataFrame, columns: Heads, name: str, *, n_seen: int = MOST_ROWS) -> None:
    """Draw a table and offer it as CSV, with these heads; file and widgets get the name.

    The first column stays in sight on a phone. Columns without a head are only in the file.
    """
    st.dataframe(table, **_options(table, columns, n_seen), key=f"frame-{name}")
    offer("Download the table as CSV", table, f"{name}.csv", type="tertiary")


def pick(table: pd.DataFrame, columns: Heads, name: str, *, n_seen: int = MOST_ROWS) -> int | None:
    """Draw a table as `draw` does; return the number of the row that was clicked, in one run only."""
    times = st.session_state.setdefault(f"picked-{name}", 0)
    clicked = st.dataframe(
        table,
        **_options(table, columns, n_seen),
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],  # the box for keyboards, and any cell for the mouse
        key=f"frame-{name}-{times}",
    )
    offer("Download the table as CSV", table, f"{name}.csv", type="tertiary")
    cells = [row for row, column in clicked["selection"]["cells"] if not _is_link(columns[column])]
    rows = [*clicked["selection"]["rows"], *cells]
    if not rows or rows[0] >= len(table):
        return None
    st.session_state[f"picked-{name}"] += 1  # the next table has no row selected, so that the same row can be clicked
    return int(rows[0])


def _is_link(head: Any) -> bool:
    """Return whether the cells of a column do something else when they are clicked."""
    return isinstance(head, dict) and head.get("type_config", {}).get("type") == "link"


def _options(table: pd.DataFrame, columns: Heads, n_seen: int) -> dict[str, Any]:
    first = next(iter(columns))
    return {
        "hide_index": True,
        "height": HEAD + ROW * max(1, min(len(table), n_seen)) + 2,
        "column_order": list(columns),
        "column_config": {
            column: st.column_config.Column(head, pinned=column == first or None) if isinstance(head, str) else head
            for column, head in columns.items()
        },
    }
