"""The desk's pages. Start it with ``presort app``."""

import streamlit as st

from desk import pages
from desk.ui import frame, visitor

role = frame.role()
page = st.navigation(pages.menu(role, st.context.url or ""), position="top" if visitor.is_in() else "hidden")
st.set_page_config(page_title=pages.tab_title(page.title), page_icon=frame.ICON, layout="wide")
frame.show(page, role)
