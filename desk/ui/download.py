"""Download of the table behind a chart or list."""

from typing import Literal

import pandas as pd
import streamlit as st

from presort.data.exporters.csv_text import csv_text


def offer(
    label: str,
    table: pd.DataFrame,
    file_name: str,
    *,
    type: Literal["secondary", "tertiary"] = "secondary",
) -> None:
    """Draw a button that downloads a table as CSV, safe to open in a spreadsheet.

    The table is written only once it is asked for. No two buttons of a page have the same file name.
    """
    st.download_button(
        label,
        lambda: csv_text(table).encode("utf-8-sig"),  # the byte order mark is for Excel
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",  # after a redraw the button would no longer know the requested file
        type=type,
        key=f"offer-{file_name}",
    )
