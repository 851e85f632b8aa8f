"""Progress and errors of background rankings."""

from streamlit.testing.v1 import AppTest


def page_with_two_failed_rankings():
    from concurrent.futures import Future

    import streamlit as st

    from presort.data.errors import WorkspaceError
    from presort.desk.ui import reranking

    ended = Future()
    ended.set_exception(WorkspaceError("The disk is full."))
    st.session_state[reranking.NAME] = {code: reranking.Reranking(1, None, ended, 0.0) for code in ("lab", "pub")}
    reranking.show(redraws=True)


def test_each_failed_ranking_can_be_tried_again():
    page = AppTest.from_function(page_with_two_failed_rankings).run()
    assert not page.exception
    assert [error.value for error in page.error] == ["The disk is full."] * 2
    assert [button.label for button in page.button] == ["Try again"] * 2
