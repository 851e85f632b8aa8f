"""The menu, and addresses without a page."""

import pytest
from streamlit.testing.v1 import AppTest


def menu_page():
    import streamlit as st

    from presort.desk import pages

    listed = {page.url_path for part in pages.menu(url=st.query_params["url"]).values() for page in part}
    usual = {page.url_path for part in pages.menu().values() for page in part}
    st.text(" ".join(listed - usual))
    st.text(len(usual - listed))


@pytest.mark.parametrize(
    ("url", "added"),
    [
        pytest.param("", "", id="no-browser"),
        pytest.param("http://localhost:8501/", "", id="root"),
        pytest.param("http://localhost:8501/presort", "", id="start"),
        pytest.param("http://localhost:8501/desk/week?only=lab", "", id="page-below-a-path"),
        pytest.param("http://localhost:8501/nope?report=lab", "nope", id="none"),
        pytest.param("http://localhost:8501/%3Cb%3E", "", id="no-plain-address"),
    ],
)
def test_an_address_without_a_page_has_one_that_says_so(url, added):
    test = AppTest.from_function(menu_page, default_timeout=60)  # the first run imports all pages
    test.query_params["url"] = url
    assert [text.value for text in test.run().text] == [added, "0"]
