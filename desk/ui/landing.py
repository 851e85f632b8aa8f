"""A link that lands at a section of a page: the address names it, as ``?at=anchor``."""

import streamlit as st

from presort.desk.components.scripts import script

AT = "at"
SCROLL = st.components.v2.component("presort_scroll", js=script("scroll"))


def land() -> None:
    """Bring the section that the address asks for into sight, once; to be called when the page is drawn."""
    if anchor := st.query_params.get(AT):
        bring_into_sight(anchor)


def bring_into_sight(anchor: str) -> None:
    """Scroll to a section of the page, once as long as this is drawn."""
    SCROLL(key=f"land-at-{anchor}", data={"anchor": anchor})
