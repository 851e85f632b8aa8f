"""The desk's pages. Start it with ``presort app``."""

import streamlit as st

from desk import frame
from desk.pages import measures, quality, review

st.set_page_config(page_title="Presort", layout="wide")
page = st.navigation(
    [
        st.Page(review.show, title="Review", icon=":material/checklist:", url_path="review", default=True),
        st.Page(quality.show, title="Quality", icon=":material/show_chart:", url_path="quality"),
        st.Page(measures.show, title="Measures", icon=":material/straighten:", url_path="measures"),
    ],
    position="top",
)
frame.show(page)
