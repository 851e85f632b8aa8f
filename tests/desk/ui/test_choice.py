"""Choices stored in the page address: set by a link or by the box, the last one wins."""

from streamlit.testing.v1 import AppTest


def page():
    import streamlit as st

    from presort.desk.ui.choice import choice

    choice(st.container(), "Which", ["a", "b", "c"], name="which")


def page_of_several():
    import streamlit as st

    from presort.desk.ui.choice import choices, number

    choices(st.container(), "Which", ["a", "b", "c"], name="which", default=["c"])
    number(st.container(), "How many", 1, 9, name="many", default=5)


def address(test):
    return [*test.query_params["which"]]


def test_the_box_changes_the_address_and_a_followed_link_changes_the_box():
    test = AppTest.from_function(page)
    test.query_params["which"] = "b"
    assert test.run().selectbox(key="which").value == "b"
    test.selectbox(key="which").select("c").run()
    assert (test.selectbox(key="which").value, address(test)) == ("c", ["c"])
    test.query_params["which"] = "a"  # a link from a page with the same box
    assert test.run().selectbox(key="which").value == "a"
    test.selectbox(key="which").select("b").run()
    assert test.run().selectbox(key="which").value == "b"


def test_a_click_wins_although_the_browser_has_not_received_the_new_address():
    test = AppTest.from_function(page)
    test.query_params["which"] = "b"
    test.run().selectbox(key="which").select("c").run()
    test.query_params["which"] = "b"  # the browser's address before it received the new one
    test.selectbox(key="which").select("a").run()
    assert (test.selectbox(key="which").value, address(test)) == ("a", ["a"])
    test = AppTest.from_function(page_of_several).run()
    test.slider(key="many").set_value(6).run()
    test.query_params["many"] = "5"
    assert test.slider(key="many").set_value(7).run().slider(key="many").value == 7


def test_an_address_with_an_unknown_value_changes_nothing():
    test = AppTest.from_function(page).run()
    test.selectbox(key="which").select("c").run()
    test.query_params["which"] = "gone"
    assert test.run().selectbox(key="which").value == "c"


def test_a_followed_link_changes_a_selection_and_a_number():
    test = AppTest.from_function(page_of_several)
    test.query_params["which"], test.query_params["many"] = ["b"], "4"
    assert (test.run().multiselect(key="which").value, test.slider(key="many").value) == (["b"], 4)
    test.multiselect(key="which").set_value(["b", "c"])
    test.slider(key="many").set_value(7).run()
    assert (address(test), [*test.query_params["many"]]) == (["b", "c"], ["7"])
    test.query_params["which"], test.query_params["many"] = ["a", "gone"], "2"  # a link to the same page
    assert (test.run().multiselect(key="which").value, test.slider(key="many").value) == (["a"], 2)
    test.multiselect(key="which").set_value([]).run()
    assert test.run().multiselect(key="which").value == []
