"""Fields whose value the desk changes."""

import pytest
from streamlit.testing.v1 import AppTest


def page_of_a_field():
    import streamlit as st

    from presort.desk.ui import field

    def save():
        st.session_state.setdefault("saved", []).append(field.text_of("title"))
        field.renew("title")

    with st.form("form"):
        st.text_input("Title", key=field.key_of("title"))
        st.form_submit_button("Save", key="save", on_click=save)


def test_a_cleared_field_is_replaced_by_a_new_one():
    page = AppTest.from_function(page_of_a_field).run()
    keys = []
    for text in ("Wages", "Jobs"):
        (box,) = page.text_input
        assert box.value == ""
        keys.append(box.key)
        box.set_value(text)
        page.button(key="save").click().run()
    assert page.session_state["saved"] == ["Wages", "Jobs"]
    assert len({*keys, page.text_input[0].key}) == 3


def page_of_a_saved_text():
    import streamlit as st

    from presort.desk.ui import field

    saved = st.session_state.setdefault("saved", "Wages")
    key = field.key_showing("title", saved)
    if st.session_state.pop("is overtaken", False):
        st.rerun()
    st.text_input("Title", saved, key=key)


def shown(box):
    """Return the text that a browser shows when it draws a text box for the first time."""
    return box.proto.value if box.proto.set_value else box.proto.default


@pytest.mark.parametrize("is_overtaken", [False, True])
def test_a_field_shows_a_text_that_was_saved_elsewhere_even_if_its_run_is_overtaken(is_overtaken):
    page = AppTest.from_function(page_of_a_saved_text).run()
    first = page.text_input[0]
    assert (shown(first), first.value) == ("Wages", "Wages")
    page.session_state["saved"], page.session_state["is overtaken"] = "Jobs", is_overtaken
    page.run()
    second = page.text_input[0]
    assert (shown(second), second.value) == ("Jobs", "Jobs")
    assert second.proto.id != first.proto.id


def test_a_field_is_not_replaced_when_its_own_text_is_saved():
    page = AppTest.from_function(page_of_a_saved_text).run()
    first = page.text_input[0]
    page.session_state["saved"] = "Jobs"  # as its callback does
    first.set_value("Jobs").run()
    assert page.text_input[0].proto.id == first.proto.id
    assert page.text_input[0].value == "Jobs"
