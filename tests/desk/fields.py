"""Fields on a page, found by their names."""

from typing import Any

from streamlit.testing.v1 import AppTest


def field(page: AppTest, name: str) -> Any:
    """Return the widget that currently shows a field. `presort.desk.ui.field` gives each new widget a new number."""
    kinds = (page.text_area, page.text_input, page.toggle)
    (found,) = (one for kind in kinds for one in kind if one.key and one.key.removesuffix(_number(one.key)) == name)
    return found


def _number(key: str) -> str:
    head, _, number = key.rpartition("-")
    return f"-{number}" if head and number.isdecimal() else ""
