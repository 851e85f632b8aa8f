"""Links to a section of a page by its address, as ``?at=anchor``."""

import streamlit as st

from presort.desk.components.scripts import script

AT = "at"
SCROLL = st.components.v2.component("presort_scroll", js=script("scroll"))


def land() -> None:
    """Scroll once to the section named in the address. Call it after the page is drawn."""
    if anchor := st.query_params.get(AT):
        bring_into_sight(anchor)


def bring_into_sight(anchor: str) -> None:
    """Scroll to a section of the page when this component first appears."""
    SCROLL(key=f"land-at-{anchor}", data={"anchor": anchor})
