"""Multiple selection stored in the page address."""

import pytest
from streamlit.testing.v1 import AppTest


def page_of_letters():
    import streamlit as st

    from presort.desk.ui.choice import choices

    st.text("".join(choices(st.container(), "Letters", ["a", "b", "c"], name="letters", default=["a", "b"])))


def opened(**query):
    page = AppTest.from_function(page_of_letters, default_timeout=30)
    for name, value in query.items():
        page.query_params[name] = value
    return page.run()


@pytest.mark.parametrize(
    ("asked", "chosen"),
    [
        pytest.param({}, "ab", id="nothing-asked"),
        pytest.param({"letters": "c"}, "c", id="one"),
        pytest.param({"letters": ["c", "a"]}, "ca", id="in-that-order"),
        pytest.param({"letters": ["gone", "b"]}, "b", id="one-does-not-exist"),
        pytest.param({"letters": "gone"}, "ab", id="none-is-there"),
    ],
)
def test_the_address_contains_the_choice(asked, chosen):
    assert opened(**asked).text[0].value == chosen


def test_choices_are_stored_in_the_address_and_may_be_empty():
    page = opened()
    page.multiselect(key="letters").set_value(["c", "b"]).run()
    assert page.text[0].value == "cb"
    assert page.query_params["letters"] == ["c", "b"]
    page.multiselect(key="letters").set_value([]).run()
    assert page.text[0].value == ""
    assert "letters" not in page.query_params


def two_pages():
    import streamlit as st

    from presort.desk.ui.choice import choices

    if st.toggle("Elsewhere"):
        st.query_params.clear()  # as when another page is opened
    else:
        st.text("".join(choices(st.container(), "Letters", ["a", "b", "c"], name="letters", default=["a", "b"])))


def test_choices_survive_a_page_change():
    page = AppTest.from_function(two_pages, default_timeout=30).run()
    page.multiselect(key="letters").set_value(["c"]).run()
    page.toggle[0].set_value(True).run()
    page.toggle[0].set_value(False).run()
    assert page.text[0].value == "c"


def test_a_choice_that_no_longer_exists_falls_back_to_the_default():
    page = opened()
    page.session_state["letters"] = ["gone"]
    assert page.run().text[0].value == "ab"
