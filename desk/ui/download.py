"""The table behind what a page shows, to take along."""

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
    """Draw a button that gives a table as CSV, safe to open in a spreadsheet.

    The table is written only once it is asked for. No two buttons of a page have the same file name.
    """
    st.download_button(
        label,
        lambda: csv_text(table).encode("utf-8-sig"),  # the mark tells Excel
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",  # drawn anew, the button would no longer know the file that was asked for
        type=type,
        key=f"offer-{file_name}",
    )
