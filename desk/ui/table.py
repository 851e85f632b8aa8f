"""Table with a search field, filter pills, a CSV download, and rows that can be selected by a click."""

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pandas as pd
import streamlit as st
from streamlit.delta_generator import DeltaGenerator

from presort.desk.ui.download import offer

Heads = Mapping[str, Any]  # label or Streamlit column configuration, by column
MOST_ROWS = 15  # visible rows
ROW, BORDER = 35, 3  # pixels: a row or the header, and both borders


def search(table: pd.DataFrame, name: str) -> pd.DataFrame:
    """Draw a search field. Returns the rows in which each word of the query occurs in some column, ignoring case."""
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
    """Draw a table's search field, and pills that select subsets of its rows.

    Parameters
    ----------
    usual : DataFrame
        Rows shown if no pill is selected.
    name : str
        Name of the table, unique on the page.
    only : mapping from str to DataFrame
        Rows for each pill, by the pill's label. Defaults to no pills.

    Returns
    -------
    shown : DataFrame
        Rows for the selected pill that match the search.
    row : DeltaGenerator
        Container with the search field, to which buttons can be added.
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
    """Draw a table with a CSV download.

    Parameters
    ----------
    table : DataFrame
        Table to draw. The CSV file contains all columns, but columns without a head are not shown on the page.
    columns : Heads
        Heads of the columns to show, in order. The first column is pinned if its head is a label.
    name : str
        Name of the file and the widgets, unique on the page.
    n_seen : int
        Maximum number of visible rows. If there are more, the table scrolls.
    """
    st.dataframe(table, **_options(table, columns, n_seen), key=f"frame-{name}")
    offer("Download the table as CSV", table, f"{name}.csv", type="tertiary")


def pick(table: pd.DataFrame, columns: Heads, name: str, *, n_seen: int = MOST_ROWS) -> int | None:
    """Draw a table as `draw` does, and return the 0-based position of the row that was just clicked, or None.

    A click is ignored if the table has changed since it was last drawn. The browser sends the position of the row in
    the old table, which may now be the position of another row.
    """
    times = st.session_state.setdefault(f"picked-{name}", 0)
    is_unchanged = table.equals(st.session_state.get(f"drawn-{name}", table))
    st.session_state[f"drawn-{name}"] = table
    clicked = st.dataframe(
        table,
        **_options(table, columns, n_seen),
        on_select="rerun",
        selection_mode=["single-row", "single-cell"],  # a checkbox for keyboard users, and any cell for the mouse
        key=f"frame-{name}-{times}",
    )
    offer("Download the table as CSV", table, f"{name}.csv", type="tertiary")
    cells = [row for row, column in clicked["selection"]["cells"] if not _is_link(columns[column])]
    rows = [*clicked["selection"]["rows"], *cells]
    if not rows or rows[0] >= len(table):
        return None
    st.session_state[f"picked-{name}"] += 1  # a new key clears the selection, so that the same row can be clicked again
    if not is_unchanged:
        st.rerun()  # clears the selection
    return int(rows[0])


def height(n_rows: int, n_seen: int = MOST_ROWS) -> int:
    """Return the height in pixels of a table without empty rows, of which at most `n_seen` are visible."""
    return ROW * (1 + max(1, min(n_rows, n_seen))) + BORDER


def _is_link(head: Any) -> bool:
    """Return True if a click on the column opens a link instead of selecting the row."""
    return isinstance(head, dict) and head.get("type_config", {}).get("type") == "link"


def _options(table: pd.DataFrame, columns: Heads, n_seen: int) -> dict[str, Any]:
    first = next(iter(columns))
    return {
        "hide_index": True,
        "height": height(len(table), n_seen),
        "column_order": list(columns),
        "column_config": {
            column: st.column_config.Column(head, pinned=column == first or None) if isinstance(head, str) else head
            for column, head in columns.items()
        },
    }
