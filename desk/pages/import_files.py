"""Import: files that the director drops; what they would change is shown first, and confirmed."""

import streamlit as st
from streamlit.navigation.page import StreamlitPage

from data import catalogue
from desk import access, cache
from desk.boxes import import_choices, import_outcome
from desk.boxes.import_uploads import Look, Outcome, Wish, run
from desk.pages import manage, review
from desk.words import importing as words
from desk.words import manage as manage_words
from desk.words.text import plain
from desk.workflow import DEMO

LOOK = "import-look"  # in the session: what was found out last, or done


def show() -> None:
    """Draw the page: files and choices, then what they would change, then what they did."""
    st.title(words.TITLE, anchor=False)
    store = cache.store()
    if catalogue.setting(store, DEMO) is not None:
        st.info(plain(words.demo(str(store.path.parent))))
        return
    st.caption(words.ABOUT)
    look: Look | None = st.session_state.get(LOOK)
    if look and look.is_confirmed and not look.is_begun:
        _import(look)
    wish = import_choices.ask()
    if wish is not None:
        is_current = look is not None and look.wish == wish
        if st.button(words.LOOK, key="look", type="secondary" if is_current else "primary"):
            st.session_state[LOOK] = _look(wish)
            st.rerun()  # the button steps back behind the next
    if look is None:
        return
    if look.is_begun:
        _draw_done(look)
    elif look.wish == wish:
        _draw_found(look)
    elif wish is None:
        del st.session_state[LOOK]  # it holds the files
    else:
        st.info(words.CHANGED)


def _look(wish: Wish) -> Look:
    with st.spinner(words.LOOKING):
        person, store = access.current_person(), cache.store()
        return Look(wish, [run(store, wish, upload, person=person, is_trial=True) for upload in wish.uploads])


def _draw_found(look: Look) -> None:
    st.header(words.FOUND, anchor=False)
    if len(look.found) > 1:
        st.caption(words.BY_ITSELF)
    for number, outcome in enumerate(look.found, start=1):
        import_outcome.draw(outcome, f"would-change-{number}")
    if any(outcome.has_news for outcome in look.found):
        if st.button(words.IMPORT, key="import", type="primary"):
            st.dialog(words.IMPORT)(_confirm)(look)
    else:
        st.info(words.NOTHING_NEW if any(outcome.report for outcome in look.found) else words.NONE_FITS)


def _confirm(look: Look) -> None:
    """Say in a window what will change."""
    if look.is_confirmed:
        st.rerun()  # closes the window, and the page goes about it
    wish = look.wish
    st.markdown(plain(words.how_it_comes(wish.issue, wish.selected_by, keeps_going=wish.keeps_going)))
    for outcome in look.found:
        if outcome.report and outcome.has_news:
            st.markdown(plain(words.will_come(outcome.name, outcome.report.summary)))
    if unfit := [outcome.name for outcome in _unfit(look)]:
        st.markdown(plain(words.stays_out(unfit)))
    with st.container(horizontal=True):
        st.button(words.IMPORT, key="import-it", type="primary", on_click=look.confirm)
        if st.button(words.LEAVE, key="leave-it"):
            st.rerun()


def _import(look: Look) -> None:
    """Import what was confirmed."""
    store, person = cache.store(), access.current_person()
    with st.spinner(words.IMPORTING):
        look.begin(store, person)
    if look.is_whole:
        import_choices.make_room()


def _draw_done(look: Look) -> None:
    st.header(words.DONE if look.is_whole else words.NOT_DONE, anchor=False)
    if len(look.found) > 1:
        st.caption(words.EACH_BY_ITSELF)
    for number, outcome in enumerate([*look.done, *_unfit(look)], start=1):
        import_outcome.draw(outcome, f"imported-{number}")
    with st.container(horizontal=True):
        st.page_link(_review(), label=words.TO_REVIEW, icon=":material/checklist:")
        st.page_link(
            _manage(),
            label=words.TO_IMPORTS,
            icon=":material/list:",
            query_params={manage.PART: manage_words.IMPORTS.lower()},
        )


def _unfit(look: Look) -> list[Outcome]:
    return [outcome for outcome in look.found if outcome.report is None]


def _review() -> StreamlitPage:
    return st.Page(review.show, url_path="review", default=True)


def _manage() -> StreamlitPage:
    return st.Page(manage.show, url_path="manage")
