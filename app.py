"""The desk's pages. Start it with ``presort app``."""

import streamlit as st

from desk import frame
from desk.pages import (
    compare,
    finish,
    import_files,
    manage,
    measures,
    natural_order,
    pending,
    preferences,
    quality,
    review,
    systems_topics,
    topic,
)

st.set_page_config(page_title="Presort", layout="wide")
page = st.navigation(
    [
        st.Page(review.show, title="Review", icon=":material/checklist:", url_path="review", default=True),
        st.Page(finish.show, title="Finish", icon=":material/outgoing_mail:", url_path="finish"),
        st.Page(pending.show, title="Pending", icon=":material/inbox:", url_path="pending"),
        st.Page(topic.show, title="Try a topic", icon=":material/travel_explore:", url_path="topic"),
        st.Page(quality.show, title="Quality", icon=":material/show_chart:", url_path="quality"),
        st.Page(compare.show, title="Compare", icon=":material/balance:", url_path="compare"),
        st.Page(systems_topics.show, title="Systems and topics", icon=":material/hub:", url_path="systems-topics"),
        st.Page(
            natural_order.show, title="Natural order", icon=":material/format_list_numbered:", url_path="natural-order"
        ),
        st.Page(measures.show, title="Measures", icon=":material/straighten:", url_path="measures"),
        st.Page(import_files.show, title="Import", icon=":material/upload_file:", url_path="import"),
        st.Page(manage.show, title="Manage", icon=":material/manage_accounts:", url_path="manage"),
        st.Page(preferences.show, title="Preferences", icon=":material/tune:", url_path="preferences"),
    ],
    position="top",
)
frame.show(page)
