"""Progress and errors of background rankings."""

from streamlit.testing.v1 import AppTest

from presort.desk.ui import reranking


def page_with_two_failed_rankings():
    from concurrent.futures import Future

    import streamlit as st

    from presort.data.errors import WorkspaceError
    from presort.desk.ui import reranking

    ended = Future()
    ended.set_exception(WorkspaceError("The disk is full."))
    st.session_state[reranking.NAME] = {code: reranking.Reranking(1, None, ended, 0.0) for code in ("lab", "pub")}
    reranking.show()


def test_each_failed_ranking_can_be_tried_again():
    page = AppTest.from_function(page_with_two_failed_rankings).run()
    assert not page.exception
    assert [error.value for error in page.error] == ["The disk is full."] * 2
    assert [button.label for button in page.button] == ["Try again"] * 2


def page_whose_ranking_ends_while_it_is_watched():
    from datetime import date
    from itertools import chain, repeat

    import streamlit as st

    from presort.desk.ui import reranking

    class Job:
        answers = chain([False], repeat(True))

        def done(self):
            return next(self.answers)

        def exception(self):
            return None

    if "began" not in st.session_state:
        st.session_state["began"] = True
        st.session_state[reranking.NAME] = {"lab": reranking.Reranking(1, date(2026, 11, 2), Job(), 0.0)}
    reranking.show("lab")


def test_the_page_stops_watching_a_ranking_that_has_ended():
    page = AppTest.from_function(page_whose_ranking_ends_while_it_is_watched).run()
    assert not page.exception
    assert len(page.success) == 1
    assert page.session_state[reranking.NAME] == {}
