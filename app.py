"""The desk's pages. Start it with ``presort app``."""

import streamlit as st

from desk import pages
from desk.ui import frame, visitor

st.set_page_config(page_title="Presort", page_icon=frame.ICON, layout="wide")
role = frame.role()
frame.show(st.navigation(pages.menu(role, st.context.url or ""), position="top" if visitor.is_in() else "hidden"), role)
