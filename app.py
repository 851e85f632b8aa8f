"""The desk's pages. Start it with ``presort app``."""

import streamlit as st

from desk import frame
from desk.pages import finish, measures, pending, preferences, quality, review, topic

st.set_page_config(page_title="Presort", layout="wide")
page = st.navigation(
    [
        st.Page(review.show, title="Review", icon=":material/checklist:", url_path="review", default=True),
        st.Page(finish.show, title="Finish", icon=":material/outgoing_mail:", url_path="finish"),
        st.Page(pending.show, title="Pending", icon=":material/inbox:", url_path="pending"),
        st.Page(topic.show, title="Try a topic", icon=":material/travel_explore:", url_path="topic"),
        st.Page(quality.show, title="Quality", icon=":material/show_chart:", url_path="quality"),
        st.Page(measures.show, title="Measures", icon=":material/straighten:", url_path="measures"),
        st.Page(preferences.show, title="Preferences", icon=":material/tune:", url_path="preferences"),
    ],
    position="top",
)
frame.show(page)
