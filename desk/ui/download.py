"""Buttons that download the table behind a chart or list, or the data about a person."""

from collections.abc import Callable
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
    """Draw a button that downloads a table as a CSV file that is safe to open in a spreadsheet.

    The file is generated only when it is downloaded. File names must be unique on a page.
    """
    st.download_button(
        label,
        lambda: csv_text(table).encode("utf-8-sig"),  # Excel needs the byte order mark
        file_name=file_name,
        mime="text/csv",
        icon=":material/download:",
        on_click="ignore",  # a rerun would discard the file before the browser requests it
        type=type,
        key=f"offer-{file_name}",
    )


def offer_json(label: str, make: Callable[[], str], file_name: str, *, help: str) -> None:
    """Draw a button that downloads a JSON file, which is generated only when it is downloaded."""
    st.download_button(
        label,
        lambda: make().encode(),
        file_name=file_name,
        mime="application/json",
        on_click="ignore",  # see `offer`
        help=help,
        key=f"offer-{file_name}",
    )
