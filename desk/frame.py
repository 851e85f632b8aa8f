"""What stands around every page."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data import catalogue
from data.errors import DataError
from desk import cache, workflow
from desk.words.text import plain

# Static, and of Streamlit's own making but for the keys: a dense, calm list; nothing of a file gets in here.
STYLE = """
<style>
.stMainBlockContainer { padding-top: 4rem; padding-bottom: 3rem; }
.stMainBlockContainer h1 { padding: 0 0 .25rem; }
[data-testid="stCaptionContainer"], [data-testid="stExpander"] summary { opacity: .8; }
@media (prefers-color-scheme: dark) { /* the accent is bright then; light-dark() would not know it in a dialog */
    [data-testid^="stBaseButton-primary"], [data-testid="stMultiSelectTagsContainer"] > span > span {
        color: #06251b; } }
.st-key-around-the-list { row-gap: 0; }
[class*="st-key-place-"] [data-testid="stText"] { font-variant-numeric: tabular-nums; }
[class*="st-key-place-"] > :nth-child(2) [data-testid="stText"] { font-size: .6rem; opacity: .5; }
[class*="st-key-paper-"] [data-testid="stText"] { overflow-wrap: anywhere; }
[class*="st-key-paper-"] > :nth-child(1) [data-testid="stText"] { font-weight: 600; }
[class*="st-key-paper-"] > :nth-child(2) [data-testid="stText"] { font-size: .875rem; opacity: .75; }
</style>
"""


def show(page: StreamlitPage) -> None:
    """Draw a page; what is wrong outside the program stands on it as one line, a bug stays a bug."""
    st.html(STYLE)
    try:
        if catalogue.setting(cache.store(), workflow.DEMO) is not None:
            st.badge(
                "Demo: the papers, authors and editors here are made up", icon=":material/science:", color="orange"
            )
        page.run()
    except DataError as error:
        st.error(plain(str(error)))
