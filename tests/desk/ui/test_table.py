"""Tables whose rows can be clicked."""

from streamlit.testing.v1 import AppTest

from presort.desk.ui.table import height
from tests.desk.manage.managing import pick


def page_of_people():
    import pandas as pd
    import streamlit as st

    from presort.desk.ui import table

    people = pd.DataFrame({"name": st.session_state["names"]})
    picked = table.pick(people, {"name": "Name"}, "people")
    st.text("nobody" if picked is None else people["name"][picked])


def open_people():
    page = AppTest.from_function(page_of_people)
    page.session_state["names"] = ["Ann", "Bo", "Cy"]
    return page.run()


def test_a_table_has_no_empty_rows_unless_it_is_empty():
    assert height(0) == height(1) < height(2) < height(10, n_seen=10) == height(12, n_seen=10)


def click(page, row):
    return pick(page, "people", row).text[0].value


def test_each_click_picks_its_row_once():
    page = open_people()
    assert click(page, 1) == "Bo"
    assert page.run().text[0].value == "nobody"
    assert click(page, 1) == "Bo"


def test_a_click_on_a_table_that_has_changed_picks_no_other_row():
    page = open_people()
    page.session_state["names"] = ["Al", "Ann", "Bo", "Cy"]  # in another window
    assert click(page, 1) == "nobody"
    assert click(page, 1) == "Ann"
