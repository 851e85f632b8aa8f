"""Links to a paper on the web."""

from urllib.parse import quote

import streamlit as st

from presort.data.records import Paper
from presort.desk.links import links_of
from presort.desk.text import escape, shorten

SAFE = "/:?#[]@!&'*+,;=%~"  # other characters could end a link in Markdown or start a formula


def draw(paper: Paper) -> None:
    """Draw a paper's web addresses as links. Draws nothing if it has none."""
    if links := links_of(paper):
        st.caption(" · ".join(map(_link, links)))


def _link(address: str) -> str:
    return f"[{escape(shorten(address))}]({quote(address, safe=SAFE)})"
