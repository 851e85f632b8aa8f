"""The desk's pages. Start it with ``presort app``."""

import streamlit as st

from presort.desk import pages
from presort.desk.ui import frame, visitor

# Set the icon before building the menu. Otherwise the tab would show the page's icon, which the browser loads from
# another host.
st.set_page_config(page_title=pages.NAME, page_icon=frame.ICON, layout="wide")
with visitor.one_snapshot():
    url = st.context.url or ""
    role = frame.role(url)
    page = st.navigation(pages.menu(role, url), position="top" if visitor.may_enter() else "hidden")
    st.set_page_config(page_title=pages.tab_title(page.title))
    frame.show(page, role)
