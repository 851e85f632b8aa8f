"""Fields that are cleared after their text is saved."""

from streamlit.testing.v1 import AppTest


def page_of_a_field():
    import streamlit as st

    from presort.desk.ui import field

    def save():
        st.session_state.setdefault("saved", []).append(field.text_of("title"))
        field.empty("title")

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
